import type { BlockInclusion } from "../chain/contracts/anchors.ts";
import type { StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import { hex, prefixedHex } from "../kit/bytes.ts";
import type { NewProof, Proof } from "./proof.ts";
import type { Batch, FoundProofs } from "./service.ts";
import type { BatchPage, ConfirmedProof, FoundProof, ProofResponse, Verification, Verifications } from "./responses.ts";
import type { Verification as VerificationResult } from "./verifier.ts";

/** The chain and the block explorer in every proof. */
export interface ProofLocation {
  readonly chainId: number;
  /** Address of a block explorer. */
  readonly explorerUrl: string;
}

type OnChainFields = Pick<
  ConfirmedProof["proof"],
  "tx_hash" | "block_number" | "block_hash" | "timestamp" | "validator"
>;

/** Returns a proof's id: the recorded hash, without prefix. */
export function proofId(proof: NewProof): string {
  return hex(proof.recordHash);
}

/** Returns the path of a proof. */
export function proofPath(proof: NewProof): string {
  return `/api/v1/proof/${proofId(proof)}`;
}

/** Maps proofs of one batch: paths share nodes, and each node is converted to text once. */
export function* toProofResponses(proofs: readonly Proof[], location: ProofLocation): Generator<ProofResponse, void> {
  const texts = new Map<Uint8Array, string>();
  const textOf = (bytes: Uint8Array): string => {
    const known = texts.get(bytes);
    if (known !== undefined) return known;
    const text = prefixedHex(bytes);
    texts.set(bytes, text);
    return text;
  };
  for (const proof of proofs) yield toProofResponse(proof, location, textOf);
}

/** @param textOf Converts the hashes of a path to text */
export function toProofResponse(proof: Proof, location: ProofLocation, textOf = prefixedHex): ProofResponse {
  const id = proofId(proof);
  const fields = {
    id,
    document_id: proof.documentId,
    hash: hex(proof.hash),
    record_hash: id,
    metadata: proof.metadata,
  };
  const { outcome, merkle } = proof;
  const superseded = (proof.superseded ?? []).map(toOnChainFields);
  const earlier = superseded.length === 0 ? {} : { superseded };
  // An accepted proof stays pending while its anchor fails: the server retries and reports the reason.
  if (outcome.state === "failed") return { status: "pending", ...fields, reason: outcome.reason, ...earlier };
  if (outcome.state === "pending") return { status: "pending", ...fields, ...earlier };
  const onChain = toOnChainFields(outcome);
  return {
    status: "confirmed",
    id,
    proof: {
      ...fields,
      chain_id: location.chainId,
      contract: outcome.contract,
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
    verification_url: `${location.explorerUrl}/tx/${onChain.tx_hash}`,
    ...earlier,
  };
}

/** Maps the newest proof, with the older ones as its history. */
export function toFoundProof({ newest, history, next }: FoundProofs, location: ProofLocation): FoundProof {
  return {
    ...toProofResponse(newest, location),
    ...(history.length === 0 ? {} : { history: history.map((proof) => toProofResponse(proof, location)) }),
    ...(next === undefined ? {} : { next: String(next) }),
  };
}

function toOnChainFields({ transactionHash, block }: BlockInclusion): OnChainFields {
  return {
    tx_hash: prefixedHex(transactionHash),
    block_number: block.number,
    block_hash: prefixedHex(block.hash),
    timestamp: block.time,
    validator: block.validator,
  };
}

/** Returns a batch's id: its root, without prefix. */
function batchId({ hash }: StoredAnchor): string {
  return hex(hash);
}

/** Returns the path of a batch. */
export function batchPath(anchor: StoredAnchor): string {
  return `/api/v1/proof/batch/${batchId(anchor)}`;
}

/** Maps the common fields of a batch's proofs. */
export function toBatch(anchor: StoredAnchor): BatchPage["batch"] {
  const { outcome } = anchor;
  const onChain = outcome.state === "confirmed" ? toOnChainFields(outcome) : {};
  return { id: batchId(anchor), root: prefixedHex(anchor.hash), size: Math.max(1, anchor.size), ...onChain };
}

/** Maps a page of the proofs that share a transaction. */
export function toBatchPage({ anchor, proofs, next }: Batch, location: ProofLocation): BatchPage {
  return {
    status: anchor.outcome.state === "confirmed" ? "confirmed" : "pending",
    batch: toBatch(anchor),
    proofs: [...toProofResponses(proofs, location)],
    ...(next === undefined ? {} : { next: String(next) }),
  };
}

export function toVerificationResponse(result: VerificationResult): Verification {
  if (!result.valid) return result;
  const { tx_hash, block_number, timestamp } = toOnChainFields(result.proof.outcome);
  return { valid: true, proof: { tx_hash, block_number, timestamp } };
}

/** @param hasJournal Whether the caller may know the documents */
export function toVerifications(results: readonly VerificationResult[], hasJournal: boolean): Verifications {
  return {
    results: results.map((result) => {
      const verification = toVerificationResponse(result);
      if (!verification.valid || !result.valid || !hasJournal) return verification;
      return { ...verification, id: proofId(result.proof), document_id: result.proof.documentId };
    }),
  };
}
