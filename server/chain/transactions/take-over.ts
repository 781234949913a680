import { hexlify } from "ethers";
import type { TransactionStore } from "./transactions.ts";
import type { Address, FinalOutcome, SignedTransaction } from "../transaction.ts";
import type { ValidatorNames } from "../node/node-block.ts";
import { type Receipt, readReceipt } from "../node/receipt.ts";
import { NodeError, type Rpc } from "../rpc/rpc.ts";
import { revertReason } from "../contracts/interfaces.ts";

export interface TakeOverDeps {
  readonly rpc: Rpc;
  readonly store: Pick<TransactionStore, "inFlightOfOthers" | "recordOutcomes">;
  /** Address of the own key; its transactions are excluded. */
  readonly self: Address;
  /** Unix milliseconds. */
  readonly before: number;
  readonly validatorNames: ValidatorNames;
  /** Returns whether to end early. */
  isStopped(): boolean;
}

/**
 * Takes over transactions that other relayers signed before a time and that have no outcome: those relayers may be out
 * of service permanently. Sends signed bytes again and records outcomes, without the key. A key has a few hundred
 * transactions in flight at most, so that each run covers all of them: a key with rejected transactions delays no other
 * key.
 */
export async function takeOverTransactions(deps: TakeOverDeps): Promise<void> {
  const { rpc, store, self, before, validatorNames, isStopped } = deps;
  const transactions = await store.inFlightOfOthers(self, before);
  const receipts = await Promise.all(transactions.map(({ hash }) => readReceipt(rpc, hexlify(hash), validatorNames)));
  const outcomes: FinalOutcome[] = [];
  for (const [index, transaction] of transactions.entries()) {
    const receipt = receipts[index];
    if (receipt !== undefined) outcomes.push(await finalOutcomeOf(rpc, transaction, receipt));
  }
  await store.recordOutcomes(outcomes);
  const lost = transactions.filter((_, index) => receipts[index] === undefined);
  // One after the other: some nodes reject a nonce before the one below it.
  for (const { raw } of lost) {
    if (isStopped()) return;
    // Only their own relayer can handle a rejection: only it has the key for the nonces that follow.
    await rpc.call("eth_sendRawTransaction", [hexlify(raw)]).catch(ignoreRefusal);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof NodeError)) throw error;
}

/** Returns the outcome of a mined transaction; queries the reason of a revert. */
export async function finalOutcomeOf(
  rpc: Rpc,
  { id, raw }: Pick<SignedTransaction, "id" | "raw">,
  { succeeded, block }: Receipt,
): Promise<FinalOutcome> {
  if (succeeded) return { id, state: "confirmed", block };
  return { id, state: "reverted", block, reason: await revertReason(rpc, raw) };
}
