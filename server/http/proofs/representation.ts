import type { ProofMetadata, StoredProof } from "../../domain/proofs/proof.ts";

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

/** A proof as this API answers it. */
export type ProofAnswer =
  | ({ readonly status: "pending" } & DocumentFields)
  | {
      readonly status: "confirmed";
      readonly id: string;
      readonly proof: DocumentFields & {
        readonly chain_id: number;
        readonly contract: string;
        readonly tx_hash: string;
        readonly block_number: number;
        readonly block_hash: string;
        readonly timestamp: number;
        readonly validator: string;
      };
      readonly verification_url: string;
    };

/** A proof's id: the recorded hash, without prefix. */
export function proofId(proof: StoredProof): string {
  return Buffer.from(proof.recordHash).toString("hex");
}

/** The path under which a proof is found. */
export function proofPath(proof: StoredProof): string {
  return `/api/v1/proof/${proofId(proof)}`;
}

export function representProof(proof: StoredProof, place: ProofPlace): ProofAnswer {
  const id = proofId(proof);
  const fields: DocumentFields = {
    id,
    document_id: proof.documentId,
    hash: Buffer.from(proof.hash).toString("hex"),
    record_hash: id,
    metadata: proof.metadata,
  };
  if (proof.anchor === undefined) return { status: "pending", ...fields };
  const { transactionHash, block } = proof.anchor;
  const tx_hash = prefixed(transactionHash);
  return {
    status: "confirmed",
    id,
    proof: {
      ...fields,
      chain_id: place.chainId,
      contract: place.contract,
      tx_hash,
      block_number: block.number,
      block_hash: prefixed(block.hash),
      timestamp: block.time,
      validator: block.validator,
    },
    verification_url: `${place.explorerUrl}/tx/${tx_hash}`,
  };
}

/** What a verify call answers for a hash that has a proof. */
export function representVerified(proof: StoredProof): object {
  return {
    valid: true,
    proof: proof.anchor && {
      tx_hash: prefixed(proof.anchor.transactionHash),
      block_number: proof.anchor.block.number,
      timestamp: proof.anchor.block.time,
    },
  };
}

function prefixed(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
