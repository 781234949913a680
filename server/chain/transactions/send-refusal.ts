import { SealbookError } from "../../errors.ts";
import { NodeError } from "../rpc/node-error.ts";
import type { Address } from "../transaction.ts";
import { gwei, type FeeQuote } from "./fees.ts";

/**
 * The reason why a node rejects a raw transaction.
 * - `known`: the node already has the transaction
 * - `nonce_used`: another transaction, or this one, was mined with the nonce
 * - `underpriced`: the fee is too low, for a block or to replace a pending transaction
 * - `unfunded`: the account cannot pay for it
 * - `later`: the same bytes can be sent again: no response, a full pool
 * - `never`: the node will never accept these bytes
 */
export type SendRefusal = "known" | "nonce_used" | "underpriced" | "unfunded" | "later" | "never";

// Nodes have no common codes for these errors, only messages. These are of Besu, Geth, Nethermind, Erigon, Anvil and
// Hardhat.
const KNOWN = /already known|known transaction|already imported|already exists|alreadyknown/i;
const NONCE_USED = /nonce too low|nonce_too_low|oldnonce|nonce is too low/i;
const UNDERPRICED = new RegExp(
  "underpriced|less than (the )?(current )?(block )?base ?fee|too low for the next block|fee ?too ?low|" +
    "gas ?price.*(below|too low|at least)|replacement ?not ?allowed|could not replace",
  "i",
);
const UNFUNDED = /insufficient (funds|balance)|insufficientfunds|up-?front cost|enough funds|exceeds allowance/i;
/** Faults of the relayer's key or settings: the gas limit is the same for every payload of a size. */
const ANY_PAYLOAD =
  "exceeds block gas limit|gas limit (is )?too (low|high)|exceeds.*(tx|transaction) gas|" +
  "invalid (sender|signature|chain ?id)|(wrong|incorrect) chain ?id|transaction type not supported";
const NEVER = new RegExp(`^rlp\\b|intrinsic gas|oversized|max initcode|${ANY_PAYLOAD}`, "i");
const RELAYER_FAULT = new RegExp(`^AccessControl|out ?of ?gas|${ANY_PAYLOAD}`, "i");

/** Classifies the error of a node that rejected a transaction. */
export function classifyRefusal(error: unknown): SendRefusal {
  if (!(error instanceof NodeError)) return "later";
  if (KNOWN.test(error.message)) return "known";
  if (NONCE_USED.test(error.message)) return "nonce_used";
  if (UNDERPRICED.test(error.message)) return "underpriced";
  if (UNFUNDED.test(error.message)) return "unfunded";
  if (NEVER.test(error.message)) return "never";
  return "later";
}

/**
 * Returns whether a final refusal or a revert can depend on the payload, so that another payload of the same relayer
 * could succeed. An unknown reason can.
 */
export function dependsOnPayload(reason: string): boolean {
  return !RELAYER_FAULT.test(reason);
}

/**
 * Returns an error that names the setting to change, or the account to fund, for a transaction that a node refused as
 * `underpriced` or `unfunded`; any other error as it is.
 */
export function feeRefusal(error: unknown, sender: Address, { fee, isFixed, limit, fault }: FeeQuote): unknown {
  const refusal = classifyRefusal(error);
  const price = `${gwei(fee.max)} a unit of gas`;
  if (refusal === "unfunded")
    return new SealbookError("chain_unavailable", `${sender} cannot pay ${price}; send money to it`, { cause: error });
  if (refusal !== "underpriced") return error;
  const setting = isFixed ? "GAS_PRICE is too low" : `MAX_FEE allows ${gwei(limit)}`;
  const reason = fault ?? `the node asks for more than ${price}; ${setting}`;
  return new SealbookError("chain_unavailable", reason, { cause: error });
}
