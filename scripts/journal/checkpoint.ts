import type { DigestAt } from "../../server/journal/integrity/digest-chain.ts";
import { GENESIS_DIGEST } from "../../server/journal/entries/entry.ts";
import type { KeptSums } from "./key-sums.ts";

/** How far a journal was checked and found right: a later check can go on from there. */
export interface Checkpoint extends DigestAt {
  /** Proofs up to there; `undefined` when they were not counted. */
  readonly proofs: number | undefined;
  /** What leads to those proofs; `undefined` when it was not summed. */
  readonly keys: KeptSums | undefined;
}

/** Before the first entry. */
export const BEGINNING: Checkpoint = { sequence: 0, digest: GENESIS_DIGEST, proofs: 0, keys: undefined };
