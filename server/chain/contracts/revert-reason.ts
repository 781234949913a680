import { hexlify, Transaction } from "ethers";
import { revertText } from "./interfaces.ts";
import { NodeError, type Rpc, toQuantity } from "../rpc/rpc.ts";

/**
 * Determines the revert reason of a mined transaction: `Name(arguments)` of the contract's error. Nodes do not keep the
 * reason, so the call is repeated on the newest state, the only one that every node keeps.
 */
export function revertReason(rpc: Rpc, raw: Uint8Array): Promise<string> {
  return revertReasonOf(rpc, Transaction.from(hexlify(raw)));
}

/** Determines the revert reason of a transaction without its signed bytes. */
export async function revertReasonOf(rpc: Rpc, { from, to, data, gasLimit }: RevertedCall): Promise<string> {
  try {
    await rpc.call("eth_call", [{ from, to, data, gas: toQuantity(gasLimit) }, "latest"]);
    return "reverted; the same call would succeed now";
  } catch (error) {
    return error instanceof NodeError ? revertText(error) : "reverted; the reason could not be read";
  }
}

interface RevertedCall {
  readonly from: string | null;
  readonly to: string | null;
  readonly data: string;
  readonly gasLimit: number | bigint;
}
