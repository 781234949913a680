import { hexlify } from "ethers";
import type { TransactionStore } from "../domain/ports.ts";
import type { Address } from "../domain/transaction.ts";
import { readReceipt, type ValidatorNames } from "./receipts.ts";
import { NodeError, type Rpc } from "./rpc/rpc.ts";
import { settlementOf } from "./settlement.ts";

/** How many are seen to at a time. */
const MAX_AT_ONCE = 512;

/**
 * Sees to transactions that other relayers signed before a time and that have no outcome: these may have gone for
 * good. What is signed can be sent again and settled without the key. Not to be mined before the others of its key is
 * no harm: they are all sent, in the order of their nonces.
 *
 * @param self Whose own are left alone
 * @param before Unix milliseconds
 */
export async function seeToOthers(
  rpc: Rpc,
  store: Pick<TransactionStore, "leftByOthers" | "settle">,
  self: Address,
  before: number,
  validatorNames: ValidatorNames,
): Promise<void> {
  const left = await store.leftByOthers(self, before);
  for (const transaction of left.slice(0, MAX_AT_ONCE)) {
    const receipt = await readReceipt(rpc, hexlify(transaction.hash), validatorNames);
    if (receipt !== undefined) await store.settle([await settlementOf(rpc, transaction, receipt)]);
    // Refusals are for its own relayer to deal with: only it knows the nonces that follow.
    else await rpc.call("eth_sendRawTransaction", [hexlify(transaction.raw)]).catch(ifRefused);
  }
}

function ifRefused(error: unknown): void {
  if (!(error instanceof NodeError)) throw error;
}
