import type { VerifiedChain } from "../evidence/verified-chain.ts";
import { fetchQuantity } from "../rpc/query.ts";
import type { SignedTransaction } from "../transaction.ts";
import { type FeeQuote, nextFee, replacementFee } from "./fees.ts";
import { hashesOf, type InFlight, newestOf } from "./in-flight.ts";
import { feeOf, isFiller, type TransactionSigner } from "./transaction-signer.ts";

/**
 * Signs an empty transaction at the nonce of a call that a node refuses. Another node can have an earlier version: the
 * filler becomes one more of them, and the mined one decides.
 * @returns `undefined` when nothing of this key can fill the nonce, or only above the highest fee
 */
export async function fillerFor(
  signer: TransactionSigner,
  transaction: InFlight,
  quote: FeeQuote,
): Promise<SignedTransaction | undefined> {
  const { id, nonce, versions, isOwn } = transaction;
  const newest = newestOf(transaction);
  if (!isOwn || isFiller(newest)) return undefined;
  const fee = versions.length > 1 ? replacementFee(feeOf(newest), quote) : quote.fee;
  return fee && { id, ...(await signer.filler(nonce, fee)) };
}

/**
 * Signs the transaction with the lowest nonce that is in no block again when its fee is too low by now, with the same
 * nonce. The others wait for it in any case.
 * @param own Transactions in flight whose bytes the key has signed
 * @returns `undefined` when its fee is right, or it is mined
 */
export async function raisedLowest(
  signer: TransactionSigner,
  chain: VerifiedChain,
  own: readonly InFlight[],
  quote: FeeQuote,
): Promise<SignedTransaction | undefined> {
  // On a free chain nothing is too cheap.
  if (own.length === 0 || (quote.fee.max === 0n && own.every(({ refusal }) => refusal === undefined))) return undefined;
  const mined = await fetchQuantity(chain.rpc, "eth_getTransactionCount", [signer.address, "latest"]);
  const lowest = own.filter(({ nonce }) => nonce >= mined).sort((a, b) => a.nonce - b.nonce)[0];
  if (lowest === undefined) return undefined;
  const newest = newestOf(lowest);
  const before = feeOf(newest);
  const fee = nextFee(before, quote, lowest.refusal, performance.now() - lowest.since);
  if (fee === undefined || (fee.max === before.max && fee.tip === before.tip)) return undefined;
  // A node that lags counts fewer.
  const found = await chain.transactions(hashesOf(lowest));
  return found.some((at) => at !== undefined) ? undefined : signer.withFee(newest, fee);
}
