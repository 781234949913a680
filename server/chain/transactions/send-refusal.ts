import { SealbookError } from "../../errors.ts";
import type { Address } from "../transaction.ts";
import { classifyRefusal } from "../rpc/node-words.ts";
import { gwei, type FeeQuote } from "./fees.ts";

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
