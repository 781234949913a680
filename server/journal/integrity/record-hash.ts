import { hash as digest } from "node:crypto";
import { hex } from "../../kit/bytes.ts";

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

/**
 * Computes the recorded hash, the only part of a proof that goes on chain: SHA-256 over the UTF-8 text of document id,
 * timestamp in decimal, type (empty when missing), and document hash in lower-case hex, concatenated.
 */
export function recordHash({ documentId, timestamp, type, hash }: RecordHashInput): Uint8Array {
  const text = `${documentId}${timestamp}${type ?? ""}${hex(hash)}`;
  return digest("sha256", text, "buffer");
}
