import type { FoundProof } from "../../../client/index.ts";
import { proofClient } from "../proof/proof-access.ts";
import type { Document } from "../proof/document.ts";

/** The record of a file on the server. */
export type Recorded =
  /** This content was recorded; `id` is its proof's, if it was recorded under the file's name. */
  | { readonly kind: "same"; readonly timestamp: number; readonly transaction: string; readonly id: string | undefined }
  /** Another content was recorded under the file's name, and never this one. */
  | { readonly kind: "changed"; readonly recordedHash: string; readonly timestamp: number | undefined }
  /** Accepted, but not on the chain yet. */
  | { readonly kind: "waiting" }
  | { readonly kind: "unknown" };

/** Looks up a file by its hash, and by its name. */
export async function findRecorded({ name, hash }: Document): Promise<Recorded> {
  const client = proofClient();
  const [verification, found] = await Promise.all([client.verify(hash), client.find(name)]);
  const proofs = found === undefined ? [] : [found, ...(found.history ?? [])];
  const same = proofs.find((proof) => hashOf(proof) === hash);
  if (verification.valid) {
    const { timestamp, tx_hash } = verification.proof;
    return { kind: "same", timestamp, transaction: tx_hash, id: same?.id };
  }
  if (same !== undefined) return { kind: "waiting" };
  const [newest] = proofs;
  if (newest === undefined) return { kind: "unknown" };
  return {
    kind: "changed",
    recordedHash: hashOf(newest),
    timestamp: newest.status === "confirmed" ? newest.proof.timestamp : undefined,
  };
}

function hashOf(proof: FoundProof | NonNullable<FoundProof["history"]>[number]): string {
  return proof.status === "confirmed" ? proof.proof.hash : proof.hash;
}
