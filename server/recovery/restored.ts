import type { ConfirmedProof, StoredProof } from "../proofs/index.ts";

/** A document restored from a backup. */
export interface RestoredDocument {
  readonly documentId: string;
  /** SHA-256 of the restored content, 32 bytes. */
  readonly hash: Uint8Array;
}

/**
 * Result of comparing a restored document with its records.
 * - `match`: the content equals the newest record
 * - `mismatch`: the newest record is of other content; `earlier` is set when an earlier record is of this content
 * - `unrecorded`: the document has no record that the chain confirms
 */
export type Comparison =
  | { readonly result: "match"; readonly proof: ConfirmedProof }
  | { readonly result: "mismatch"; readonly proof: ConfirmedProof; readonly earlier: ConfirmedProof | undefined }
  | {
      readonly result: "unrecorded";
      /** Reason, unless the journal simply has no record of the document. */
      readonly reason: string | undefined;
      /** Other documents with a record of the same content. */
      readonly recordedAs: readonly string[];
    };

/** Number of rows by result. */
export interface Totals {
  readonly documents: number;
  readonly match: number;
  readonly mismatch: number;
  readonly unrecorded: number;
}

export const NO_ROWS: Totals = { documents: 0, match: 0, mismatch: 0, unrecorded: 0 };

export function counted(totals: Totals, { result }: Comparison): Totals {
  return { ...totals, documents: totals.documents + 1, [result]: totals[result] + 1 };
}

/** Returns whether a proof was on chain at a time, in Unix seconds; without a time, whether it is on chain now. */
export function isConfirmedBy(proof: StoredProof, asOf: number | undefined): proof is ConfirmedProof {
  return proof.outcome.state === "confirmed" && (asOf === undefined || proof.outcome.block.time <= asOf);
}

/**
 * Compares a restored document with its records.
 * @param recorded Its proofs that the chain confirms, newest first
 */
export function compare(
  hash: Uint8Array,
  recorded: readonly ConfirmedProof[],
): Exclude<Comparison, { result: "unrecorded" }> | undefined {
  const [newest, ...older] = recorded;
  if (newest === undefined) return undefined;
  if (Buffer.compare(newest.hash, hash) === 0) return { result: "match", proof: newest };
  return { result: "mismatch", proof: newest, earlier: older.find((proof) => Buffer.compare(proof.hash, hash) === 0) };
}
