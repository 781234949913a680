import type { BlockReference } from "../chain/block.ts";
import type { AnchorOnChain } from "../chain/contracts/anchor-content.ts";
import type { AnchorOutcome } from "../journal/integrity/stored-anchor.ts";
import type { Proof } from "../proofs/index.ts";
import type { RecoveryVerification } from "../recovery/index.ts";

/** A checked proof with the contract's response for its hash or root. */
export interface AttestedProof {
  readonly proof: Proof & { readonly outcome: Extract<AnchorOutcome, { state: "confirmed" }> };
  readonly firstAnchor: AnchorOnChain;
  /** The contract's raw response as `0x` hex. */
  readonly response: string;
  /** Call data that repeats the query. */
  readonly anchorQuery: string;
  /** Call data for the contract's check of the Merkle path; `undefined` without one. */
  readonly verifyQuery: string | undefined;
}

/** Facts of every statement. */
interface CommonFacts {
  /** Unix seconds. */
  readonly issuedAt: number;
  readonly issuer: { readonly name: string; readonly publicKey: Uint8Array; readonly jwksUrl: string };
  readonly installation: {
    readonly chainId: number;
    readonly contract: string;
    /** Base URL of the explorer. */
    readonly explorerUrl: string;
    /** Public base URL of this installation. */
    readonly publicUrl: string;
  };
  /** The block at which the contract was queried. */
  readonly queriedAt: BlockReference;
}

/** Facts about the records of a document or a content. */
export interface RecordFacts extends CommonFacts {
  readonly subject: { readonly documentId: string } | { readonly hash: Uint8Array };
  /** The newest records, newest first. */
  readonly records: readonly [AttestedProof, ...AttestedProof[]];
  /** Number of all records. */
  readonly count: number;
}

/** Facts about a recovery verification. */
export interface VerificationFacts extends CommonFacts {
  readonly verification: RecoveryVerification;
}

/** All facts of a statement. */
export type AttestationFacts = RecordFacts | VerificationFacts;
