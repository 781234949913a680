import type { FinalOutcome, SignedTransaction } from "../transaction.ts";
import type { Receipt } from "../node/receipt.ts";
import { revertReason } from "../contracts/revert-reason.ts";
import type { Rpc } from "../rpc/rpc.ts";

/** Returns the outcome of a mined transaction; queries the reason of a revert. */
export async function finalOutcomeOf(
  rpc: Rpc,
  { id, raw }: Pick<SignedTransaction, "id" | "raw">,
  { succeeded, block }: Receipt,
): Promise<FinalOutcome> {
  if (succeeded) return { id, state: "confirmed", block };
  return { id, state: "reverted", block, reason: await revertReason(rpc, raw) };
}
