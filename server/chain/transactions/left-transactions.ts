import { hexlify } from "ethers";
import type { TransactionStore } from "./transactions.ts";
import type { Address, FinalOutcome } from "../transaction.ts";
import { readReceipt } from "../node/receipt.ts";
import type { ValidatorNames } from "../node/block.ts";
import { NodeError, type Rpc } from "../rpc/rpc.ts";
import { settlementOf } from "./transaction-outcome.ts";

export interface OthersDeps {
  readonly rpc: Rpc;
  readonly store: Pick<TransactionStore, "leftByOthers" | "recordOutcomes">;
  /** Whose own transactions are left alone. */
  readonly self: Address;
  /** Unix milliseconds. */
  readonly before: number;
  readonly validatorNames: ValidatorNames;
  /** Whether it is to end early. */
  isStopped(): boolean;
}

/**
 * Sees to transactions that other relayers signed before a time and that have no outcome: these may have gone for
 * good. What is signed can be sent again and settled without the key. A key has no more than a few hundred under way, so
 * that all of them are seen to each time: one key whose transactions the node does not take holds up no other's.
 */
export async function seeToOthers({ rpc, store, self, before, validatorNames, isStopped }: OthersDeps): Promise<void> {
  const left = await store.leftByOthers(self, before);
  const receipts = await Promise.all(left.map(({ hash }) => readReceipt(rpc, hexlify(hash), validatorNames)));
  const settlements: FinalOutcome[] = [];
  for (const [index, transaction] of left.entries()) {
    const receipt = receipts[index];
    if (receipt !== undefined) settlements.push(await settlementOf(rpc, transaction, receipt));
  }
  await store.recordOutcomes(settlements);
  const lost = left.filter((_, index) => receipts[index] === undefined);
  // One after the other: not every node takes a nonce before the one below it.
  for (const { raw } of lost) {
    if (isStopped()) return;
    // Refusals are for its own relayer to deal with: only it knows the nonces that follow.
    await rpc.call("eth_sendRawTransaction", [hexlify(raw)]).catch(ifRefused);
  }
}

function ifRefused(error: unknown): void {
  if (!(error instanceof NodeError)) throw error;
}
