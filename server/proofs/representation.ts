import type { BlockInclusion, StoredAnchor } from "../journal/integrity/anchor.ts";
import type { NewProof, Proof, ProofMetadata, StoredProof } from "./proof.ts";
import { hex, prefixedHex } from "../kit/hex.ts";

/** Where proofs stand, for what every representation of one carries. */
export interface ProofPlace {
  readonly chainId: number;
  /** Address of the anchor contract. */
  readonly contract: string;
  /** Address of a block explorer. */
  readonly explorerUrl: string;
}

interface DocumentFields {
  readonly id: string;
  readonly document_id: string;
  readonly hash: string;
  readonly record_hash: string;
  readonly metadata: ProofMetadata;
}

/** Where a proof is on the chain, or was. */
interface PlaceFields {
  readonly tx_hash: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly timestamp: number;
  readonly validator: string;
}

/** A proof as this API answers it. */
export type ProofAnswer = { readonly superseded?: readonly PlaceFields[] } & (
  | ({ readonly status: "pending"; readonly reason?: string } & DocumentFields)
  | {
      readonly status: "confirmed";
      readonly id: string;
      readonly proof: DocumentFields &
        PlaceFields & {
          readonly chain_id: number;
          readonly contract: string;
          readonly merkle?: {
            readonly root: string;
            readonly leaf: string;
            readonly index: number;
            readonly path: readonly string[];
          };
        };
      readonly verification_url: string;
    }
);

/** A proof's id: the recorded hash, without prefix. */
export function proofId(proof: NewProof): string {
  return hex(proof.recordHash);
}

/** The path under which a proof is found. */
export function proofPath(proof: NewProof): string {
  return `/api/v1/proof/${proofId(proof)}`;
}

/** Proofs of one batch: each node of the tree is on the paths of many, and is put into text once. */
export function representProofs(proofs: readonly Proof[], place: ProofPlace): ProofAnswer[] {
  const texts = new Map<Uint8Array, string>();
  const textOf = (bytes: Uint8Array): string => {
    const known = texts.get(bytes);
    if (known !== undefined) return known;
    const text = prefixedHex(bytes);
    texts.set(bytes, text);
    return text;
  };
  return proofs.map((proof) => representProof(proof, place, textOf));
}

/** @param textOf Puts hashes on a path into text */
export function representProof(proof: Proof, place: ProofPlace, textOf = prefixedHex): ProofAnswer {
  const id = proofId(proof);
  const fields: DocumentFields = {
    id,
    document_id: proof.documentId,
    hash: hex(proof.hash),
    record_hash: id,
    metadata: proof.metadata,
  };
  const { outcome, merkle } = proof;
  const superseded = (proof.superseded ?? []).map(representPlace);
  const earlier = superseded.length === 0 ? {} : { superseded };
  // Accepted is accepted: what the chain does not take now is tried again, and says why it was set aside.
  if (outcome.state === "failed") return { status: "pending", ...fields, reason: outcome.reason, ...earlier };
  if (outcome.state === "pending") return { status: "pending", ...fields, ...earlier };
  const onChain = representPlace(outcome);
  return {
    status: "confirmed",
    id,
    proof: {
      ...fields,
      chain_id: place.chainId,
      contract: place.contract,
      ...onChain,
      ...(merkle === undefined
        ? {}
        : {
            merkle: {
              root: textOf(merkle.root),
              leaf: textOf(merkle.leaf),
              index: merkle.index,
              path: merkle.path.map(textOf),
            },
          }),
    },
    verification_url: `${place.explorerUrl}/tx/${onChain.tx_hash}`,
    ...earlier,
  };
}

function representPlace({ transactionHash, block }: BlockInclusion): PlaceFields {
  return {
    tx_hash: prefixedHex(transactionHash),
    block_number: block.number,
    block_hash: prefixedHex(block.hash),
    timestamp: block.time,
    validator: block.validator,
  };
}

/** A batch's id: its root, without prefix. */
function batchId({ hash }: StoredAnchor): string {
  return hex(hash);
}

/** The path under which a batch is found. */
export function batchPath(anchor: StoredAnchor): string {
  return `/api/v1/proof/batch/${batchId(anchor)}`;
}

/** What the proofs of a batch share. */
export function representBatch(anchor: StoredAnchor): object {
  const { outcome } = anchor;
  const onChain = outcome.state === "confirmed" ? representPlace(outcome) : {};
  return { id: batchId(anchor), root: prefixedHex(anchor.hash), size: Math.max(1, anchor.size), ...onChain };
}

/** What a verify call answers for a hash that has a proof. */
export function representVerified({ outcome }: StoredProof): object {
  if (outcome.state !== "confirmed") return { valid: true };
  const { transactionHash, block } = outcome;
  return {
    valid: true,
    proof: { tx_hash: prefixedHex(transactionHash), block_number: block.number, timestamp: block.time },
  };
}
