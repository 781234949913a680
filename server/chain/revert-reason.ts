import { hexlify, Transaction } from "ethers";
import { revertText } from "./contracts.ts";
import { NodeError, type Rpc, toQuantity } from "./rpc/rpc.ts";

/**
 * Why a mined transaction was reverted: `Name(arguments)` of the contract's error. Nodes do not keep the reason, so
 * that the call is made once more on the newest state, the only one that every node keeps.
 */
export async function revertReason(rpc: Rpc, raw: Uint8Array): Promise<string> {
  const { from, to, data, gasLimit } = Transaction.from(hexlify(raw));
  try {
    await rpc.call("eth_call", [{ from, to, data, gas: toQuantity(gasLimit) }, "latest"]);
    return "reverted; the same call would succeed now";
  } catch (error) {
    return error instanceof NodeError ? revertText(error) : "reverted; the reason could not be read";
  }
}
