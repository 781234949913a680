import type { ProofMetadata } from "../proofs/index.ts";

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
  readonly merkle: {
    readonly root: string;
    readonly leaf: string;
    readonly index: number;
    readonly path: readonly string[];
  } | null;
  /** What the contract has of the recorded hash or the root: the first time that it saw it. */
  readonly first_anchor: { readonly timestamp: number; readonly block_number: number; readonly size: number };
  readonly verification_url: string;
}

/** A comparison of restored documents with what was recorded. */
export interface AttestedVerification {
  readonly verification_id: string;
  readonly as_of: number | null;
  readonly finished_at: number;
  readonly totals: {
    readonly documents: number;
    readonly match: number;
    readonly mismatch: number;
    readonly unrecorded: number;
  };
  readonly rows_root: string;
}

/** A check that was made before the statement was signed; without all of them holding there is none. */
export interface AttestationCheck {
  readonly title: string;
  readonly description: string;
  readonly outcome: "passed";
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
  readonly issuer: {
    readonly name: string;
    readonly key_id: string;
    readonly public_key: string;
    readonly jwks_url: string;
  };
  readonly chain: {
    readonly chain_id: number;
    readonly contract: string;
    /** The block at which the contract was asked. */
    readonly queried_at: { readonly block_number: number; readonly block_hash: string; readonly timestamp: number };
  };
  readonly introduction: string;
  readonly claims: readonly string[];
  readonly limitations: readonly string[];
  /** How many records there are; `records` lists the newest of them. Both are left out for a verification. */
  readonly record_count?: number;
  /** Newest first. */
  readonly records?: readonly AttestationRecord[];
  readonly verification?: AttestedVerification;
  readonly checks: readonly AttestationCheck[];
  readonly steps: readonly AttestationStep[];
}
