import { hexlify, Transaction } from "ethers";
import { EventTable__factory } from "../../../typechain-types/factories/EventTable__factory.ts";
import { ProofAnchor__factory } from "../../../typechain-types/factories/ProofAnchor__factory.ts";
import { SessionRegistry__factory } from "../../../typechain-types/factories/SessionRegistry__factory.ts";
import type { Address, ContractCall, ContractName, TransactionPurpose } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import { bytesOfHex } from "../../kit/bytes.ts";
import { NodeError, type Rpc, toQuantity } from "../rpc/rpc.ts";

/** The contracts' ABIs, as generated from their source. */
export const INTERFACES = {
  SessionRegistry: SessionRegistry__factory.createInterface(),
  EventTable: EventTable__factory.createInterface(),
  ProofAnchor: ProofAnchor__factory.createInterface(),
} as const;

/**
 * Encodes a call of the relayer.
 * @param data `0x` hex, as encoded by one of the {@link INTERFACES}
 */
export function contractCall(purpose: TransactionPurpose, contract: ContractName, data: string): ContractCall {
  return { purpose, contract, data: bytesOfHex(data) };
}

/** A node that keeps only the newest state returns this error when it makes a block during the query. */
const STATE_IS_GONE = /BlockOutOfRange/;
const ATTEMPTS = 5;
/** Length of `0x` and a selector in hex. */
const SELECTOR_TEXT = 10;

/**
 * Reads from a contract at the newest block.
 * @returns the ABI-encoded result
 * @throws SealbookError `chain_reverted` naming the contract's error
 */
export async function readContract(
  rpc: Pick<Rpc, "call">,
  to: Address,
  data: string,
  attempts = ATTEMPTS,
): Promise<string> {
  try {
    const result = await rpc.call("eth_call", [{ to, data }, "latest"]);
    if (typeof result !== "string")
      throw new SealbookError("chain_unavailable", "the node's response to eth_call is not hex");
    return result;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (STATE_IS_GONE.test(error.message) && attempts > 1) return readContract(rpc, to, data, attempts - 1);
    throw new SealbookError("chain_reverted", revertText(error), { cause: error });
  }
}

/** Formats a contract's error, `Name(arguments)`; the node's own message for an unknown error. */
function revertText(error: NodeError): string {
  // A call that matches no function reverts without data.
  if (error.data !== undefined && error.data.length >= SELECTOR_TEXT) {
    for (const contract of Object.values(INTERFACES)) {
      const parsed = contract.parseError(error.data);
      if (parsed !== null) return `${parsed.name}(${parsed.args.map(String).join(", ")})`;
    }
  }
  return error.message;
}

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
