import type { BlockReference } from "../chain/block.ts";
import type { AnchorOnChain } from "../chain/contracts/anchor.ts";
import type { AnchorOutcome } from "../journal/integrity/anchor.ts";
import type { Proof } from "../proofs/index.ts";
import type { RecoveryVerification } from "../recovery/index.ts";

/** A proof that was checked, with what the contract answered about its hash or root. */
export interface AttestedProof {
  readonly proof: Proof & { readonly outcome: Extract<AnchorOutcome, { state: "confirmed" }> };
  readonly firstAnchor: AnchorOnChain;
  /** The contract's answer as it came, `0x` hex. */
  readonly response: string;
  /** Call data with which the same can be asked. */
  readonly anchorQuery: string;
  /** Call data with which the contract checks the Merkle path; `undefined` without one. */
  readonly verifyQuery: string | undefined;
}

/** What holds for a statement about anything. */
interface CommonFacts {
  /** Unix seconds. */
  readonly issuedAt: number;
  readonly issuer: { readonly name: string; readonly publicKey: Uint8Array; readonly jwksUrl: string };
  readonly place: {
    readonly chainId: number;
    readonly contract: string;
    /** Where people look at transactions. */
    readonly explorerUrl: string;
    /** Where this installation is reached. */
    readonly publicUrl: string;
  };
  /** The block at which the contract was asked. */
  readonly queriedAt: BlockReference;
}

/** What is known of a document, or of a content. */
export interface RecordFacts extends CommonFacts {
  readonly subject: { readonly documentId: string } | { readonly hash: Uint8Array };
  /** The newest of them, newest first. */
  readonly records: readonly [AttestedProof, ...AttestedProof[]];
  /** How many there are. */
  readonly count: number;
}

/** What is known of a comparison. */
export interface VerificationFacts extends CommonFacts {
  readonly verification: RecoveryVerification;
}

/** Everything that a statement is made of. */
export type AttestationFacts = RecordFacts | VerificationFacts;
