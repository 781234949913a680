import type { BlockReference } from "../block.ts";

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

/** What is written when a proof is accepted. */
export interface NewProof {
  readonly documentId: string;
  readonly hash: Uint8Array;
  /** What goes on chain; identifies the proof. */
  readonly recordHash: Uint8Array;
  readonly metadata: ProofMetadata;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly transactionId: number;
}

/** A proof as the journal has it: its own facts joined with those of its anchor's transaction. */
export interface StoredProof extends NewProof {
  /** Order of acceptance. */
  readonly sequence: number;
  readonly state: "pending" | "confirmed" | "failed";
  /** Set when confirmed. */
  readonly anchor: { readonly transactionHash: Uint8Array; readonly block: BlockReference } | undefined;
}
