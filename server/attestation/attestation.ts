import type { ProofMetadata } from "../proofs/index.ts";

/** Name of the statement format, which docs/attestation.md describes. */
export const ATTESTATION_FORMAT = "sealbook-attestation/1";

/** Readers of a statement. The sentences depend on the audience, the facts do not. */
export const AUDIENCES = ["court", "regulator", "seller"] as const;
export type Audience = (typeof AUDIENCES)[number];

/** A confirmed record and the contract's response for it. All times are Unix seconds. */
export interface AttestationRecord {
  readonly document_id: string;
  /** SHA-256 of the document as hex without prefix, as is `record_hash`. */
  readonly hash: string;
  readonly record_hash: string;
  readonly metadata: ProofMetadata;
  readonly tx_hash: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly timestamp: number;
  readonly validator: string;
  /** `null` for a recorded hash that was anchored alone. */
  readonly merkle: {
    readonly root: string;
    readonly leaf: string;
    readonly index: number;
    readonly path: readonly string[];
  } | null;
  /** The contract's first anchor of the recorded hash or the root. */
  readonly first_anchor: { readonly timestamp: number; readonly block_number: number; readonly size: number };
  readonly verification_url: string;
}

/** A comparison of restored documents with their records. */
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

/** A check before signing. The server signs only if all checks pass. */
export interface AttestationCheck {
  readonly title: string;
  readonly description: string;
  readonly outcome: "passed";
}

/** An independent check: a command and its expected output. */
export interface AttestationStep {
  readonly title: string;
  readonly run: string;
  readonly expect: readonly string[];
  readonly proves: string;
}

/** The signed statement. */
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
    /** The block at which the contract was queried. */
    readonly queried_at: { readonly block_number: number; readonly block_hash: string; readonly timestamp: number };
  };
  readonly introduction: string;
  readonly claims: readonly string[];
  readonly limitations: readonly string[];
  /** Number of records, of which `records` lists the newest. Both are absent for a verification. */
  readonly record_count?: number;
  /** Newest first. */
  readonly records?: readonly AttestationRecord[];
  readonly verification?: AttestedVerification;
  readonly checks: readonly AttestationCheck[];
  readonly steps: readonly AttestationStep[];
}
