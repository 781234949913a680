import type { JournalHead } from "../../server/journal/integrity/entry-chain.ts";
import { GENESIS_DIGEST } from "../../server/journal/integrity/entry-chain.ts";
import type { KeptSums } from "./key-sums.ts";

/** The point up to which a check had no findings; a later check can continue there. */
export interface ResumePoint extends JournalHead {
  /** Number of proofs up to that point; `undefined` when they were not counted. */
  readonly proofs: number | undefined;
  /** Sums over the keys of those proofs; `undefined` when they were not computed. */
  readonly keys: KeptSums | undefined;
}

/** The point before the first entry. */
export const BEGINNING: ResumePoint = { sequence: 0, digest: GENESIS_DIGEST, proofs: 0, keys: undefined };
