import type { BlockReference } from "../chain/block.ts";
import type { BlockTrust } from "../chain/evidence/verified-chain.ts";
import type { AnchorOnChain } from "../chain/contracts/anchors.ts";
import type { AnchorOutcome } from "../journal/integrity/stored-anchor.ts";
import type { Proof } from "../proofs/index.ts";
import type { SignedVerification } from "../recovery/index.ts";

/** A checked proof with the contract's response for its hash or root. */
export interface AttestedProof {
  readonly proof: Proof & { readonly outcome: Extract<AnchorOutcome, { state: "confirmed" }> };
  readonly firstAnchor: AnchorOnChain;
  /** The contract's raw response as `0x` hex. */
  readonly response: string;
  /** The portable proof; `undefined` for records without one in the attachments. */
  readonly bundle: Attachment | undefined;
}

/** A file that belongs to a statement. Its content must be kept unchanged. */
export interface Attachment {
  readonly file: string;
  readonly content: string;
}

/** The file name of the verifier. */
export const VERIFIER_FILE = "verify.mjs";

/** Facts of every statement. */
interface CommonFacts {
  /** The verifier that reads the statement. */
  readonly verifier: Attachment;
  /** Unix seconds. */
  readonly issuedAt: number;
  readonly issuer: {
    readonly name: string;
    readonly publicKey: Uint8Array;
    readonly jwksUrl: string;
  };
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
  /** Why the blocks are those of the chain. */
  readonly trust: BlockTrust;
}

/** Facts about the records of a document or a content. */
export interface RecordFacts extends CommonFacts {
  readonly subject: { readonly documentId: string } | { readonly hash: Uint8Array };
  /** The newest records, newest first. */
  readonly records: readonly [AttestedProof, ...AttestedProof[]];
  /** Number of all confirmed records. */
  readonly count: number;
  /** Number of those that have no anchor yet. */
  readonly pendingCount: number;
  /** Call data of the newest record. */
  readonly queries: {
    /** Repeats the query of the anchor. */
    readonly anchor: string;
    /** Has the contract check the Merkle path; `undefined` without one. */
    readonly verify: string | undefined;
  };
}

/** Facts about a recovery verification. */
export interface VerificationFacts extends CommonFacts {
  readonly verification: SignedVerification;
}

/** Returns the files that a statement names: the verifier first, then the portable proofs. */
export function attachmentsOf(facts: AttestationFacts): readonly Attachment[] {
  const bundles = "records" in facts ? facts.records.flatMap(({ bundle }) => bundle ?? []) : [];
  return [facts.verifier, ...bundles];
}

/** All facts of a statement. */
export type AttestationFacts = RecordFacts | VerificationFacts;
