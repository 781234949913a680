import { keyIdOf } from "../evidence/signed-bundle.ts";
import type { ProofMetadata } from "../proofs/proof.ts";
import type { RecoveryVerification } from "../recovery/ports.ts";
import { checksOf } from "./checks.ts";
import type { AttestationFacts, AttestedProof } from "./facts.ts";
import { hex, prefixed } from "./hex.ts";
import { stepsOf } from "./steps.ts";
import { wordingOf } from "./wording.ts";

/** The name of the format that is written here; docs/attestation.md describes it. */
export const ATTESTATION_FORMAT = "sealbook-attestation/1";

/** Whom a statement is for: its sentences differ, what is stated does not. */
export const AUDIENCES = ["court", "regulator", "seller"] as const;
export type Audience = (typeof AUDIENCES)[number];

/** What was recorded of a document, and what the contract answered about it. All times are Unix seconds. */
export interface AttestationRecord {
  readonly document_id: string;
  /** SHA-256 of the document, without prefix, as is `record_hash`. */
  readonly hash: string;
  readonly record_hash: string;
  readonly metadata: ProofMetadata;
  readonly tx_hash: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly timestamp: number;
  readonly validator: string;
  /** `null` for a recorded hash that went on chain alone. */
  readonly merkle: { readonly root: string; readonly leaf: string; readonly index: number; readonly path: readonly string[] } | null;
  /** What the contract has of the recorded hash or the root: the first time that it saw it. */
  readonly first_anchor: { readonly timestamp: number; readonly block_number: number; readonly size: number };
  readonly verification_url: string;
}

/** A comparison of restored documents with what was recorded. */
export interface AttestedVerification {
  readonly verification_id: string;
  readonly as_of: number | null;
  readonly finished_at: number;
  readonly totals: { readonly documents: number; readonly match: number; readonly mismatch: number; readonly unrecorded: number };
  readonly rows_root: string;
}

/** A check that was made before the statement was signed; without all of them holding there is none. */
export interface AttestationCheck {
  readonly title: string;
  readonly what: string;
  readonly outcome: "holds";
}

/** A check that anybody can make: what to run, and what the output has to hold. */
export interface AttestationStep {
  readonly title: string;
  readonly run: string;
  readonly expect: readonly string[];
  readonly proves: string;
}

/** What is signed. */
export interface Attestation {
  readonly format: typeof ATTESTATION_FORMAT;
  readonly audience: Audience;
  readonly subject: { readonly document_id: string } | { readonly hash: string } | { readonly verification_id: string };
  /** Unix seconds. */
  readonly issued_at: number;
  readonly issuer: { readonly name: string; readonly key_id: string; readonly public_key: string; readonly jwks_url: string };
  readonly chain: {
    readonly chain_id: number;
    readonly contract: string;
    /** The block at which the contract was asked. */
    readonly asked_at: { readonly block_number: number; readonly block_hash: string; readonly timestamp: number };
  };
  readonly introduction: string;
  readonly says: readonly string[];
  readonly does_not_say: readonly string[];
  /** How many records there are; `records` lists the newest of them. Both are left out for a verification. */
  readonly record_count?: number;
  /** Newest first. */
  readonly records?: readonly AttestationRecord[];
  readonly verification?: AttestedVerification;
  readonly checks: readonly AttestationCheck[];
  readonly steps: readonly AttestationStep[];
}

/** States the facts for an audience. */
export function attestationOf(facts: AttestationFacts, audience: Audience): Attestation {
  const { issuer, place, askedAt } = facts;
  return {
    format: ATTESTATION_FORMAT,
    audience,
    subject: subjectOf(facts),
    issued_at: facts.issuedAt,
    issuer: {
      name: issuer.name,
      key_id: keyIdOf(issuer.publicKey),
      public_key: hex(issuer.publicKey),
      jwks_url: issuer.jwksUrl,
    },
    chain: {
      chain_id: place.chainId,
      contract: place.contract,
      asked_at: { block_number: askedAt.number, block_hash: prefixed(askedAt.hash), timestamp: askedAt.time },
    },
    ...wordingOf(facts, audience),
    ...("records" in facts
      ? { record_count: facts.count, records: facts.records.map((record) => recordOf(record, place.explorerUrl)) }
      : { verification: verificationOf(facts.verification) }),
    checks: checksOf(facts),
    steps: stepsOf(facts),
  };
}

function subjectOf(facts: AttestationFacts): Attestation["subject"] {
  if ("verification" in facts) return { verification_id: facts.verification.id };
  return "documentId" in facts.subject ? { document_id: facts.subject.documentId } : { hash: hex(facts.subject.hash) };
}

function recordOf({ proof, firstAnchor }: AttestedProof, explorerUrl: string): AttestationRecord {
  const { documentId, hash, recordHash, metadata, merkle } = proof;
  const { transactionHash, block } = proof.outcome;
  const tx_hash = prefixed(transactionHash);
  return {
    document_id: documentId,
    hash: hex(hash),
    record_hash: hex(recordHash),
    metadata,
    tx_hash,
    block_number: block.number,
    block_hash: prefixed(block.hash),
    timestamp: block.time,
    validator: block.validator,
    merkle:
      merkle === undefined
        ? null
        : { root: prefixed(merkle.root), leaf: prefixed(merkle.leaf), index: merkle.index, path: merkle.path.map(prefixed) },
    first_anchor: { timestamp: firstAnchor.time, block_number: firstAnchor.blockNumber, size: firstAnchor.size },
    verification_url: `${explorerUrl}/tx/${tx_hash}`,
  };
}

function verificationOf({ id, asOf, finishedAt, totals, rowsRoot }: RecoveryVerification): AttestedVerification {
  return {
    verification_id: id,
    as_of: asOf ?? null,
    finished_at: Math.floor(finishedAt / 1000),
    totals,
    rows_root: hex(rowsRoot),
  };
}
