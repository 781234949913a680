import { hash as digest } from "node:crypto";
import { hex } from "../../kit/bytes.ts";
import type { ProofEntry } from "../entries/codec.ts";

/** The parts of a recorded hash. */
export interface RecordHashInput {
  readonly documentId: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Kind of document. */
  readonly type?: string | null | undefined;
  /** SHA-256 of the document, 32 bytes. */
  readonly hash: Uint8Array;
}

/** The fields of an entry that its recorded hash is over. */
export type RecordedEntry = Pick<ProofEntry, "document_id" | "timestamp" | "type" | "hash">;

/**
 * Computes the recorded hash, the only part of a proof that goes on chain: SHA-256 over the UTF-8 text of document id,
 * timestamp in decimal, type (empty when missing), and document hash in lower-case hex, concatenated.
 */
export function recordHash({ documentId, timestamp, type, hash }: RecordHashInput): Uint8Array {
  const text = `${documentId}${timestamp}${type ?? ""}${hex(hash)}`;
  return digest("sha256", text, "buffer");
}

/** Computes the recorded hash of a proof from its entry. */
export function recordHashOf({ document_id: documentId, timestamp, type, hash }: RecordedEntry): Uint8Array {
  return recordHash({ documentId, timestamp, type, hash });
}
