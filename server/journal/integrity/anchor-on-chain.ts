import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { AnchorOutcome } from "./anchor.ts";
import type { AnchorContent } from "../../chain/contracts/anchor.ts";

/**
 * How the chain contradicts what the journal says of a confirmed anchor, if it does.
 * @throws SealbookError `chain_unavailable` when the chain cannot be asked
 */
export async function contradictionOf(
  chain: Pick<ProofAnchorClient, "anchorOf" | "blockOf">,
  content: AnchorContent,
  { transactionHash, block }: Extract<AnchorOutcome, { state: "confirmed" }>,
): Promise<string | undefined> {
  const [anchor, mined] = await Promise.all([
    chain.anchorOf(content.hash),
    chain.blockOf(transactionHash, content.hash),
  ]);
  if (anchor === undefined) return "The journal has a record of this hash, but the chain does not confirm it";
  if (anchor.size !== content.size)
    return "The journal has a record of this hash, but the chain has its anchor in another form";
  if (mined === undefined) return "The journal has a record of this hash, but the chain does not know its transaction";
  if (mined.number !== block.number || mined.time !== block.time || Buffer.compare(mined.hash, block.hash) !== 0) {
    return "The journal has a record of this hash, but the chain holds its transaction in another block";
  }
  // An anchor before this transaction is the first one of the same hash, which stands.
  if (anchor.blockNumber <= block.number) return undefined;
  return "The journal has a record of this hash, but the chain saw it only later";
}
