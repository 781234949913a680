import { type ErrorDescription, hexlify, type Interface, Transaction } from "ethers";
import { EventTable__factory } from "../../../typechain-types/factories/EventTable__factory.ts";
import { ProofAnchor__factory } from "../../../typechain-types/factories/ProofAnchor__factory.ts";
import { SessionRegistry__factory } from "../../../typechain-types/factories/SessionRegistry__factory.ts";
import type { Address, ContractCall, ContractName, TransactionPurpose } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import { bytesOfHex } from "../../kit/bytes.ts";
import { NodeError } from "../rpc/node-error.ts";
import { isRevert, lostState } from "../rpc/node-words.ts";
import { Code, parseResponse, withBlocksTo } from "../rpc/query.ts";
import { ContradictionError, nodeErrorIn, type Rpc, toQuantity, unavailable } from "../rpc/rpc.ts";

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

/** Attempts at the newest block of a node that keeps only the newest state, and makes blocks during the call. */
const ATTEMPTS = 5;
/** Length of `0x` and a selector in hex. */
const SELECTOR_TEXT = 10;

/**
 * Reads from one of our contracts at the newest block.
 * @param since The node has to have this block
 * @returns the ABI-encoded result
 * @throws SealbookError `chain_reverted` naming the contract's error; `chain_unavailable` when the node could not run
 * the call, or returns nothing
 */
export async function readContract(rpc: Pick<Rpc, "call">, to: Address, data: string, since?: number): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const call = rpc.call("eth_call", [{ to, data }, "latest"]);
      const response = await (since === undefined ? call : withBlocksTo(rpc, since, call));
      const result = parseResponse(Code, "eth_call", response);
      if (result !== "0x") return result;
      throw unavailable(new ContradictionError(`the node returns nothing from the contract at ${to}`));
    } catch (thrown) {
      const error = nodeErrorIn(thrown);
      if (error === undefined) throw thrown;
      if (isRevert(error)) throw new SealbookError("chain_reverted", revertText(error), { cause: error });
      if (!lostState(error) || attempt === ATTEMPTS) throw unavailable(error);
    }
  }
}

/** Formats a contract's error, `Name(arguments)`; the node's own message for an unknown error. */
function revertText(error: NodeError): string {
  // A call that matches no function reverts without data.
  if (error.data !== undefined && error.data.length >= SELECTOR_TEXT) {
    for (const contract of Object.values(INTERFACES)) {
      const parsed = parsedError(contract, error.data);
      if (parsed !== null) return `${parsed.name}(${parsed.args.map(String).join(", ")})`;
    }
  }
  return error.message;
}

/** Parses revert data; `null` for those of another contract, or incomplete ones. */
function parsedError(contract: Interface, data: string): ErrorDescription | null {
  try {
    return contract.parseError(data);
  } catch {
    return null;
  }
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
    return error instanceof NodeError && isRevert(error) ? revertText(error) : "reverted; the reason could not be read";
  }
}

interface RevertedCall {
  readonly from: string | null;
  readonly to: string | null;
  readonly data: string;
  readonly gasLimit: number | bigint;
}
