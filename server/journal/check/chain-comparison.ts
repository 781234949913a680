import type { AnchoringBlock, AnchorOnChain } from "../../chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import { isLagging } from "../../chain/rpc/rpc.ts";
import type { ConfirmationEntry } from "../entries/codec.ts";
import { chainFault, type ChainFault } from "../integrity/stored-anchor.ts";

/** Blocks that are queried concurrently. */
const BLOCKS_AT_ONCE = 16;

/** Chain queries of a check. */
export type ChainQueries = Pick<ProofAnchorClient, "anchorOf" | "anchoringBlock">;

/**
 * Compares confirmations with the chain.
 * @param onResult Called for each; without a fault the chain has it as the journal does
 * @throws SealbookError `chain_unavailable`
 */
export async function compareWithChain<C extends { readonly entry: ConfirmationEntry }>(
  chain: ChainQueries,
  confirmations: readonly C[],
  onResult: (confirmation: C, fault: ChainFault | undefined) => Promise<void>,
): Promise<void> {
  const blocks = Map.groupBy(confirmations, ({ entry }) => entry.block_number).entries();
  const worker = async (): Promise<void> => {
    // All workers draw from the one iterator.
    for (const [number, inBlock] of blocks) {
      const mined = await chain.anchoringBlock(number);
      for (const each of inBlock) {
        const { hash, contract } = each.entry;
        const fault = faultOf(each.entry, await chain.anchorOf(hash, contract), mined);
        await onResult(each, fault && (await faultNow(chain, each.entry)));
      }
    }
  };
  await Promise.all(Array.from({ length: BLOCKS_AT_ONCE }, worker));
}

/**
 * Compares once more: a reorganization between two requests can replace the newest blocks. A node that lacks the block
 * even now serves a chain that was rolled back, or lags.
 */
async function faultNow(chain: ChainQueries, entry: ConfirmationEntry): Promise<ChainFault | undefined> {
  const { hash, contract, block_number: block } = entry;
  try {
    return faultOf(entry, await chain.anchorOf(hash, contract, block), await chain.anchoringBlock(block));
  } catch (error) {
    if (!isLagging(error)) throw error;
    return "no_block";
  }
}

function faultOf(
  entry: ConfirmationEntry,
  onChain: AnchorOnChain | undefined,
  mined: AnchoringBlock | undefined,
): ChainFault | undefined {
  const { tx_hash: transactionHash, block_number: number, block_hash: hash, block_time: time } = entry;
  return chainFault(entry, { transactionHash, block: { number, hash, time } }, onChain, mined);
}
