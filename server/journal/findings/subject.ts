/**
 * The subject of a divergence is a text: its first word is the cause, the same divergence has the same one at every
 * check.
 */

/** Causes that concern the journal's own history. */
export const HISTORY_CAUSES: readonly string[] = ["head", "entries", "index", "leaves", "anchor", "confirmation"];

/** Causes that others end than a complete check: who has found them, or an operator. */
const NOT_CHECKED = ["head", "replication", "transaction"];

/** Causes that a repair ends, and no operator. */
const REPAIRED = ["head", "entries", "index", "leaves", "records"];

/** The subject of the record index, which a leader builds anew from the chain. */
export const RECORD_INDEX = "records";

/** Returns whether a complete check finds a subject as long as it diverges. */
export function isChecked(subject: string): boolean {
  return !NOT_CHECKED.includes(causeOf(subject));
}

/**
 * Returns whether an entry of the journal can acknowledge a divergence. A journal that does not continue what a relayer
 * has seen is accepted on that relayer's machine only.
 */
export function isAcknowledgeable(subject: string): boolean {
  return !REPAIRED.includes(causeOf(subject));
}

/** Returns whether the chain may be what has changed. */
export function isOfChain(subject: string): boolean {
  return causeOf(subject) === "confirmation";
}

/** Returns the kind of a subject, its first word. All divergences of one cause have one alert. */
export function causeOf(subject: string): string {
  return /^[a-z]+/.exec(subject)?.[0] ?? subject;
}

/** Returns the subject of the newest entry that a relayer has seen. */
export function headOf(relayer: string): string {
  return `head of ${relayer}`;
}
