import { hexlify } from "ethers";
import { revertReason } from "../contracts/interfaces.ts";
import type { TransactionInBlock, VerifiedChain } from "../evidence/verified-chain.ts";
import type { SignedTransaction } from "../transaction.ts";
import { isFiller } from "./transaction-signer.ts";
import type { FinalOutcome, SuccessVerdict } from "./types.ts";

const REFUSED = "a node refused the transaction";

/** The outcomes of transactions, as far as the server checks them itself. */
export interface OutcomeRules {
  readonly chain: VerifiedChain;
  /** Returns whether the success of a transaction counts. */
  readonly verdictOn: (at: TransactionInBlock) => Promise<SuccessVerdict>;
}

/**
 * Returns the outcome of a mined transaction; queries the reason of a revert.
 * @param transaction All of its versions, of which one is mined, and why a node refused them, if that is known
 * @returns `undefined` for a success that does not count yet: the transaction stays in flight
 */
export async function finalOutcomeOf(
  { chain, verdictOn }: OutcomeRules,
  { versions, fault }: { readonly versions: readonly SignedTransaction[]; readonly fault?: string | undefined },
  at: TransactionInBlock,
): Promise<FinalOutcome | undefined> {
  const version = versions.find(({ hash }) => hexlify(hash) === at.transaction.hash);
  if (version === undefined) return undefined;
  const { id, raw, hash } = version;
  const isRefused = versions.length > 1 && isFiller(version) && versions.some((each) => !isFiller(each));
  const outcome = { id, hash, block: at.block.reference, ...(versions.length > 1 ? { version } : {}) };
  if (isRefused)
    return { ...outcome, state: "reverted", reason: fault === undefined ? REFUSED : `${REFUSED}: ${fault}` };
  if (!at.transaction.succeeded) return { ...outcome, state: "reverted", reason: await revertReason(chain.rpc, raw) };
  const verdict = await verdictOn(at);
  if (verdict === "unknown") return undefined;
  return "rejected" in verdict
    ? { ...outcome, state: "reverted", reason: verdict.rejected }
    : { ...outcome, state: "confirmed", anchored: verdict.confirms };
}
