// Module of the thread that parses long bodies.
import { serveJobs } from "../kit/workers/reply.ts";
import { checkJson, countOfValues, fault, parseJson } from "./json-text.ts";

/** Text that is parsed at a time where the requests are served. */
const PIECE_CHARACTERS = 64 * 1024;
/** Maximum number of values in a piece: in an item, or in the body without the items of its lists. */
const MAX_VALUES = 50_000;

/** JSON of which every piece is parsed quickly. */
export interface JsonPieces {
  /** The body with its lists, which are empty. */
  readonly body: string;
  /** For each of its lists, by name: texts of lists that it consists of. */
  readonly lists: readonly (readonly [string, readonly string[]])[];
}

export const divide = serveJobs((bytes: Uint8Array): JsonPieces => {
  const body = parseJson(bytes);
  checkJson(body);
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  const lists = isObject
    ? Object.entries(body).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
    : [];
  const rest = isObject ? { ...body, ...Object.fromEntries(lists.map(([name]) => [name, []])) } : body;
  return { body: textOf(rest, []), lists: lists.map(([name, items]) => [name, piecesOf(name, items)]) };
});

function piecesOf(name: string, items: readonly unknown[]): string[] {
  const pieces: string[] = [];
  let texts: string[] = [];
  let characters = 0;
  const add = (): void => void (texts.length > 0 && pieces.push(`[${texts.join(",")}]`));
  for (const [index, item] of items.entries()) {
    const text = textOf(item, [name, index]);
    if (characters + text.length > PIECE_CHARACTERS) {
      add();
      texts = [];
      characters = 0;
    }
    texts.push(text);
    characters += text.length;
  }
  add();
  return pieces;
}

function textOf(value: unknown, keys: readonly (string | number)[]): string {
  const text = JSON.stringify(value);
  if (text.length > MAX_VALUES && countOfValues(Buffer.from(text)) > MAX_VALUES)
    throw fault(keys, `has more than ${MAX_VALUES} values`, "too_large");
  return text;
}
