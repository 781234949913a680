import type { Texts } from "../texts/texts.ts";
import type { Row, Verdict } from "./verdict.ts";

/** Says why a verdict is not better; empty for the best one. */
export function reasonOf({ verify: words }: Texts, verdict: Verdict): string {
  switch (verdict.kind) {
    case "unreadable":
      return verdict.reason;
    case "not_verified":
    case "undetermined": {
      const { code } = verdict;
      if (code === "file" || code === "cryptography" || code === "evidence" || code === "server")
        return words.missing[code];
      const last = verdict.steps.at(-1);
      return last === undefined ? code : words.step(last).reason;
    }
    default:
      return "";
  }
}

/** The time that a verdict proves or states, in Unix seconds. */
export function timeOf(verdict: Verdict | undefined): number | undefined {
  if (verdict?.kind === "recorded") return verdict.timestamp;
  if (verdict?.kind !== "verified") return undefined;
  const { block, statement } = verdict;
  // The time of a signature by an unknown key is only a claim.
  return block?.timestamp ?? (statement?.isTrusted === true ? statement.issuedAt : undefined);
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
