import type { Texts } from "../texts/texts.ts";
import type { Row, Verdict } from "./verdict.ts";

/** Says why a verdict is not better, or what it does not say; empty for the best one. */
export function reasonOf({ verify: words }: Texts, verdict: Verdict): string {
  switch (verdict.kind) {
    case "unreadable":
      return verdict.reason;
    case "not_verified":
    case "undetermined": {
      const last = verdict.steps.findLast(({ ok }) => !ok);
      const ofMissing: Readonly<Record<string, string>> = words.missing;
      return last === undefined ? (ofMissing[verdict.code] ?? verdict.code) : words.step(last).reason;
    }
    case "verified": {
      const { statement } = verdict;
      if (statement === undefined || verdict.documentId !== undefined) return "";
      return statement.isTrusted ? words.statement.notPages : words.statement.unknownKey;
    }
    default:
      return "";
  }
}

/** The title of a row. */
export function titleOf({ verify: words }: Texts, { name, isStatement }: Row): string {
  return isStatement === true ? words.statementIn(name) : name;
}

/** The name under which a document was recorded, when it is another one than the file's. */
export function otherName({ name, verdict }: Row): string | undefined {
  if (verdict === undefined || !("documentId" in verdict)) return undefined;
  return verdict.documentId === name ? undefined : verdict.documentId;
}

/** The time at which the document was recorded, in Unix seconds. */
export function timeOf(verdict: Verdict | undefined): number | undefined {
  if (verdict?.kind === "recorded") return verdict.timestamp;
  return verdict?.kind === "verified" ? verdict.block?.timestamp : undefined;
}

/** Names what a verdict trusts; empty for none. */
export function trustOf({ verify: words }: Texts, verdict: Verdict | undefined): string {
  if (verdict?.kind === "verified") return words.trusted[verdict.trusted];
  return verdict?.kind === "recorded" || verdict?.kind === "not_recorded" ? words.trusted.server : "";
}

/** Returns the number of rows with each kind of verdict. */
export function countsOf(rows: readonly Row[]): ReadonlyMap<Verdict["kind"], number> {
  const counts = new Map<Verdict["kind"], number>();
  for (const { verdict } of rows)
    if (verdict !== undefined) counts.set(verdict.kind, (counts.get(verdict.kind) ?? 0) + 1);
  return counts;
}
