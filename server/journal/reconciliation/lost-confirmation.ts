import type { BlockReference } from "../../chain/block.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { AnchorStanding, ReconciliationStore } from "./divergence.ts";

export interface LostConfirmationDeps {
  readonly store: Pick<ReconciliationStore, "anchor" | "reconfirm">;
  readonly chain: Pick<ProofAnchorClient, "blockOf">;
}

/**
 * Records the confirmation of an anchor again that the journal has lost, though the anchor's transaction is mined. The
 * sender records it for every other transaction.
 * @returns the anchor and its block; `undefined` when nothing was lost, or the chain does not confirm the anchor
 */
export async function restoreConfirmation(
  { store, chain }: LostConfirmationDeps,
  hash: Uint8Array,
): Promise<{ readonly anchor: AnchorStanding; readonly block: BlockReference } | undefined> {
  const anchor = await store.anchor(hash);
  if (anchor?.transactionHash === undefined || !anchor.isMined || anchor.isConfirmed) return undefined;
  const block = await chain.blockOf(anchor.transactionHash, hash);
  if (block === undefined) return undefined;
  await store.reconfirm(anchor.transactionId, block);
  return { anchor, block };
}
