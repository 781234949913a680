import { nextTurn } from "./next-turn.ts";

/** Members of a long list that are written at a time. */
const AT_ONCE = 50;

/**
 * Writes the canonical text of a JSON value (RFC 8785): names sorted by their UTF-16 code units, no white space,
 * numbers and text as ECMAScript writes them. Members that are `undefined` are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** Writes the same text of an object with long lists. Other work is done in between. */
export async function longCanonicalJson(value: object): Promise<string> {
  const members: string[] = [];
  for (const [name, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (member === undefined) continue;
    const text = Array.isArray(member) ? `[${await longList(member)}]` : canonicalJson(member);
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

async function longList(items: readonly unknown[]): Promise<string> {
  const texts: string[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    if (from > 0) await nextTurn();
    texts.push(...items.slice(from, from + AT_ONCE).map(canonicalJson));
  }
  return texts.join(",");
}
