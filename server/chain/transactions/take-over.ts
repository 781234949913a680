import { hexlify } from "ethers";
import type { TransactionInBlock, VerifiedChain } from "../evidence/verified-chain.ts";
import type { TransactionStore } from "./transactions.ts";
import type { Address, FinalOutcome, SignedTransaction } from "../transaction.ts";
import { NodeError } from "../rpc/rpc.ts";
import { revertReason } from "../contracts/interfaces.ts";

/** The outcomes of transactions, as far as the server checks them itself. */
export interface OutcomeRules {
  readonly chain: VerifiedChain;
  /** Returns whether the success of a transaction counts. One that does not count stays in flight. */
  readonly accepts: (at: TransactionInBlock) => Promise<boolean>;
}

export interface TakeOverDeps extends OutcomeRules {
  readonly store: Pick<TransactionStore, "inFlightOfOthers" | "recordOutcomes">;
  /** Address of the own key; its transactions are excluded. */
  readonly self: Address;
  /** Unix milliseconds. */
  readonly before: number;
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
  const { store, self, before, isStopped } = deps;
  const { rpc } = deps.chain;
  const transactions = await store.inFlightOfOthers(self, before);
  const mined = await deps.chain.transactions(transactions.map(({ hash }) => hexlify(hash)));
  const outcomes: FinalOutcome[] = [];
  for (const [index, transaction] of transactions.entries()) {
    const at = mined[index];
    const outcome = at === undefined || at === "unfinal" ? undefined : await finalOutcomeOf(deps, transaction, at);
    if (outcome !== undefined) outcomes.push(outcome);
  }
  if (outcomes.length > 0) await rpc.identify?.();
  await store.recordOutcomes(outcomes);
  const lost = transactions.filter((_, index) => mined[index] === undefined);
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

/**
 * Returns the outcome of a mined transaction; queries the reason of a revert.
 * @returns `undefined` for a success that does not count
 */
export async function finalOutcomeOf(
  { chain, accepts }: OutcomeRules,
  { id, raw }: Pick<SignedTransaction, "id" | "raw">,
  at: TransactionInBlock,
): Promise<FinalOutcome | undefined> {
  const block = at.block.reference;
  if (!at.transaction.succeeded) return { id, state: "reverted", block, reason: await revertReason(chain.rpc, raw) };
  return (await accepts(at)) ? { id, state: "confirmed", block } : undefined;
}
