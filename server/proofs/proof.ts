import type { AnchorOutcome, BlockInclusion } from "../journal/integrity/anchor.ts";
import type { AnchorContent } from "../chain/contracts/anchor.ts";

/** Free descriptive data of a document; the three named fields have a meaning. */
export interface ProofMetadata {
  /** Kind of document; part of the recorded hash. */
  readonly type?: string;
  /** Unix seconds; part of the recorded hash. */
  readonly timestamp: number;
  /** Name of the calling service. */
  readonly source?: string;
  readonly [key: string]: unknown;
}

/** A checked request for a proof. */
export interface ProofRequest {
  readonly documentId: string;
  /** SHA-256 of the document, 32 bytes. */
  readonly hash: Uint8Array;
  readonly metadata: Omit<ProofMetadata, "timestamp"> & { readonly timestamp?: number };
}

/** A proof's own facts, written once, when it is accepted. */
export interface NewProof {
  readonly documentId: string;
  readonly hash: Uint8Array;
  /** What goes on chain; identifies the proof. */
  readonly recordHash: Uint8Array;
  readonly metadata: ProofMetadata;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
}

/** A proof with its place under an anchor. */
export interface AcceptedProof extends NewProof {
  readonly anchorId: number;
  readonly leafIndex: number;
  /** Whether it came to share the place of another whose recorded text reads alike. */
  readonly isAlike: boolean;
}

/** A proof as the journal has it: its own facts joined with those of its anchor. */
export interface StoredProof extends AcceptedProof {
  /** Whether it is one of those that `AnchorStore.leaves` gives: not one that shares another's place. */
  readonly isLeaf: boolean;
  readonly outcome: AnchorOutcome;
  /** Unknown while the anchor is open. */
  readonly content: AnchorContent | undefined;
}

/** Where a recorded hash stands in a batch: what `ProofAnchor.verify` asks for. */
export interface InclusionProof {
  readonly root: Uint8Array;
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly path: readonly Uint8Array[];
}

/** A proof as it is given out. */
export interface Proof extends NewProof {
  readonly outcome: AnchorOutcome;
  /** Set when it is confirmed as a part of a batch. */
  readonly merkle: InclusionProof | undefined;
  /** Where the chain had it before it went back; only where that was asked for. */
  readonly superseded?: readonly BlockInclusion[];
}

/** Recorded texts have no separators: other parts can read alike, and then have the same hash. */
export function isSameRecord(a: NewProof, b: NewProof): boolean {
  return (
    a.documentId === b.documentId &&
    a.metadata.timestamp === b.metadata.timestamp &&
    (a.metadata.type ?? "") === (b.metadata.type ?? "") &&
    Buffer.compare(a.hash, b.hash) === 0
  );
}
