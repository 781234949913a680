import type { AnchorOutcome } from "../journal/integrity/anchor.ts";
import type { AnchorContent } from "../chain/contracts/anchor.ts";
import type { Placement } from "./placement.ts";
import type { NewProof } from "./proof.ts";

/** Takes proofs in. What is answered is on disk, under an anchor, and MUST end on chain exactly once. */
export interface ProofIntake {
  /**
   * Puts a proof into the open batch, with whatever else arrives meanwhile.
   * @throws SealbookError `overloaded` when too many are on their way already
   */
  accept(proof: NewProof): Promise<Placement>;
  /** Puts 1 to 1000 proofs under an anchor of their own: all of them are on disk, or none. Throws as `accept` does. */
  acceptTogether(proofs: readonly NewProof[]): Promise<readonly Placement[]>;
}

/** An anchor that has come to its end, or not yet. */
export interface AnchorState {
  readonly outcome: AnchorOutcome;
  /** Unknown while the anchor is open. */
  readonly content: AnchorContent | undefined;
}

/** The anchors on their way that this process looks after. */
export interface AnchorsInFlight {
  /**
   * Waits until an anchor has an outcome or the wait is over.
   * @returns `undefined` when this process does not look after the anchor, or no longer: the journal knows where its
   * proofs are
   */
  state(anchorId: number, waitMilliseconds: number): Promise<AnchorState | undefined>;
}
