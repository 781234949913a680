import type { JournalHead } from "../../server/journal/integrity/entry-chain.ts";
import { GENESIS_DIGEST } from "../../server/journal/integrity/entry-chain.ts";
import type { KeptSums } from "./key-sums.ts";

/** How far a journal was checked and found right: a later check can go on from there. */
export interface ResumePoint extends JournalHead {
  /** Proofs up to there; `undefined` when they were not counted. */
  readonly proofs: number | undefined;
  /** What leads to those proofs; `undefined` when it was not summed. */
  readonly keys: KeptSums | undefined;
}

/** Before the first entry. */
export const BEGINNING: ResumePoint = { sequence: 0, digest: GENESIS_DIGEST, proofs: 0, keys: undefined };
