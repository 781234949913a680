import { isError } from "ethers";
import type { VerifiedChain } from "../evidence/verified-chain.ts";
import { Code, query } from "../rpc/query.ts";
import { ContradictionError, nodeErrorIn, type Rpc, toQuantity, unavailable } from "../rpc/rpc.ts";
import type { Address } from "../transaction.ts";
import type { AnchorInspection, AnchorOnChain } from "./anchors.ts";
import { INTERFACES } from "./interfaces.ts";

const ABI = INTERFACES.ProofAnchor;
/** Calls of one inspection that are in flight at a time. */
const INSPECTED_AT_ONCE = 16;
/** Attempts of an inspection on a node that dropped the state of the block in the meantime. */
const INSPECTION_ATTEMPTS = 5;

/** Encodes the query of the anchor of a hash or root, `0x` hex. */
export function anchorQuery(hash: Uint8Array): string {
  return ABI.encodeFunctionData("anchorOf", [hash]);
}

/** @throws SealbookError `chain_unavailable` for a response that the contract does not give */
export function decodeAnchor(result: string): Omit<AnchorOnChain, "contract"> {
  try {
    const [{ time, blockNumber, size }] = ABI.decodeFunctionResult("anchorOf", result);
    return { time: Number(time), blockNumber: Number(blockNumber), size: Number(size) };
  } catch (error) {
    if (!isError(error, "BAD_DATA")) throw error;
    throw unavailable(new ContradictionError("the node's response to eth_call is not that of the contract"));
  }
}

/**
 * Fetches the anchors of all hashes in a contract at the newest block.
 * @throws SealbookError `chain_unavailable`
 */
export async function inspectAnchors(
  rpc: Rpc,
  chain: VerifiedChain,
  contract: Address,
  hashes: readonly Uint8Array[],
): Promise<AnchorInspection> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inspectOnce(rpc, chain, contract, hashes);
    } catch (error) {
      // A node that keeps the newest state only rejects a query at a block with a successor.
      if (nodeErrorIn(error) === undefined || attempt === INSPECTION_ATTEMPTS) throw error;
    }
  }
}

async function inspectOnce(
  rpc: Rpc,
  chain: VerifiedChain,
  contract: Address,
  hashes: readonly Uint8Array[],
): Promise<AnchorInspection> {
  const { reference: block } = await chain.newest();
  const responses: string[] = [];
  for (let first = 0; first < hashes.length; first += INSPECTED_AT_ONCE) {
    const calls = hashes.slice(first, first + INSPECTED_AT_ONCE).map((hash) => {
      const call = { to: contract, data: anchorQuery(hash) };
      return query(rpc, Code, "eth_call", [call, toQuantity(block.number)]);
    });
    responses.push(...(await Promise.all(calls)));
  }
  return { block, anchors: responses.map((response) => ({ response, contract, ...decodeAnchor(response) })) };
}
