import type { ProofEntry } from "../journal/entries/codec.ts";
import type { BlockInclusion } from "../chain/contracts/anchors.ts";
import type { AnchorOutcome } from "../journal/integrity/stored-anchor.ts";
import type { AnchorState } from "./anchor-states.ts";

/** Free-form metadata of a document; the three named fields have a defined meaning. */
export interface ProofMetadata {
  /** Kind of document; part of the recorded hash. */
  readonly type?: string;
  /** Unix seconds; part of the recorded hash. */
  readonly timestamp: number;
  /** Name of the calling service. */
  readonly source?: string;
  readonly [key: string]: unknown;
}

/** A validated request for a proof. */
export interface ProofRequest {
  readonly documentId: string;
  /** SHA-256 of the document, 32 bytes. */
  readonly hash: Uint8Array;
  readonly metadata: Omit<ProofMetadata, "timestamp"> & { readonly timestamp?: number };
}

/** A proof's own fields, written once, when it is accepted. */
export interface NewProof {
  readonly documentId: string;
  readonly hash: Uint8Array;
  /** The anchored hash; identifies the proof. */
  readonly recordHash: Uint8Array;
  readonly metadata: ProofMetadata;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
}

/** A proof on disk, under an anchor. */
export interface AcceptedProof extends NewProof {
  readonly anchorId: number;
  readonly leafIndex: number;
}

/** A proof in the journal: its own fields, from its entry, joined with those of its anchor. */
export interface StoredProof extends AcceptedProof, AnchorState {
  /** The number of its journal entry. */
  readonly sequence: number;
}

/** A proof that the chain confirms. */
export type ConfirmedProof = StoredProof & {
  readonly outcome: Extract<AnchorOutcome, { state: "confirmed" }>;
};

/** The inclusion of a recorded hash in a batch: the arguments of `ProofAnchor.verify`. */
interface InclusionProof {
  readonly root: Uint8Array;
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly path: readonly Uint8Array[];
}

/** A proof as it is returned to callers. */
export interface Proof extends NewProof {
  readonly outcome: AnchorOutcome;
  /** Set for a proof confirmed in a batch. */
  readonly merkle: InclusionProof | undefined;
  /** Earlier positions on chain, before a rollback; only in responses to queries. */
  readonly superseded?: readonly BlockInclusion[];
}

/** Compares records by their parts: recorded texts have no separators, and different parts can have the same text. */
export function isSameRecord(a: NewProof, b: NewProof): boolean {
  return (
    a.documentId === b.documentId &&
    a.metadata.timestamp === b.metadata.timestamp &&
    (a.metadata.type ?? "") === (b.metadata.type ?? "") &&
    Buffer.compare(a.hash, b.hash) === 0
  );
}

/** Returns the metadata of an entry. */
export function metadataOf({
  timestamp,
  type,
  source,
  metadata,
}: Pick<ProofEntry, "timestamp" | "type" | "source" | "metadata">): ProofMetadata {
  return {
    ...(type === null ? {} : { type }),
    timestamp,
    ...(source === null ? {} : { source }),
    ...metadata,
  };
}
