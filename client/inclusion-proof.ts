import type { ConfirmedProof } from "../server/proofs/responses.ts";

/** Arguments of `IProofAnchor.verify`, in its order; each is `0x` and 64 hexadecimal digits. */
export interface InclusionProof {
  /** The recorded hash, `record_hash`. The contract hashes it twice: `merkle.leaf` is the result. */
  readonly leaf: string;
  readonly path: readonly string[];
  /** The anchored hash: the root of the batch, or the recorded hash of a document that was anchored alone. */
  readonly root: string;
}

/** Converts a confirmed proof, as the API returns it, to the arguments of a call of the contract. */
export function toInclusionProof({
  proof: { record_hash: recordHash, merkle },
}: Pick<ConfirmedProof, "proof">): InclusionProof {
  const leaf = `0x${recordHash}`;
  return merkle === undefined ? { leaf, path: [], root: leaf } : { leaf, path: merkle.path, root: merkle.root };
}
