import type { SignedTransaction } from "../transaction.ts";
import type { TransactionSigner } from "./transaction-signer.ts";
import type { TransactionStore } from "./types.ts";

type Signer = Pick<TransactionSigner, "address" | "signedNonceOf">;

/**
 * Returns the versions of a transaction that count, with the nonces of their bytes. Who can write to the database could
 * have put other bytes there: they count only where the key has signed none.
 */
export function versionsOf(
  signer: Signer,
  versions: readonly SignedTransaction[],
): { readonly versions: readonly SignedTransaction[]; readonly isOwn: boolean } {
  const own = versions.flatMap((version) => {
    const nonce = signer.signedNonceOf(version);
    return nonce === undefined ? [] : [{ ...version, nonce }];
  });
  if (own.length > 0) return { versions: own, isOwn: true };
  return { versions: versions.filter(({ nonce }) => nonce >= 0), isOwn: false };
}

/**
 * Returns the highest nonce that the key has signed, by the signed bytes: who changes the number stops nothing. Rows
 * with a higher number are put right, so that they are not in the way of the next nonces.
 * @returns -1 when it has signed none
 */
export async function highestSignedNonce(
  signer: Signer,
  store: Pick<TransactionStore, "highest" | "renumber">,
): Promise<number> {
  const { address } = signer;
  const signed = new Map<number, number>();
  let highest = await store.highest(address, Number.MAX_SAFE_INTEGER);
  while (highest !== undefined) {
    const nonce = signer.signedNonceOf(highest);
    if (nonce === highest.nonce) break;
    if (nonce !== undefined) signed.set(highest.id, nonce);
    await store.renumber(highest.id, address, undefined);
    highest = await store.highest(address, highest.nonce);
  }
  for (const [id, nonce] of signed) await store.renumber(id, address, nonce);
  return Math.max(highest?.nonce ?? -1, ...signed.values());
}
