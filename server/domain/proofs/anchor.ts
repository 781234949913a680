import type { BlockReference } from "../block.ts";

/** Where an anchor stands: `pending` from its opening on, `failed` when its transaction will never be mined as it is. */
export type AnchorOutcome =
  | { readonly state: "pending" }
  | { readonly state: "confirmed"; readonly transactionHash: Uint8Array; readonly block: BlockReference }
  | { readonly state: "failed"; readonly reason: string };

/** What goes on chain for one or many proofs. */
export interface AnchorContent {
  /** A recorded hash alone, or the root over several. */
  readonly hash: Uint8Array;
  /** Hashes under the root; 0 for a hash alone. */
  readonly size: number;
}

/** A closed anchor as the journal has it. */
export interface StoredAnchor extends AnchorContent {
  readonly id: number;
  readonly transactionId: number;
  readonly outcome: AnchorOutcome;
}

/** How many proofs can hang on an anchor; documents whose recorded texts read alike are one. */
export function hashesUnder({ size }: Pick<AnchorContent, "size">): number {
  return Math.max(1, size);
}
