import type { ConfirmedProof, StoredProof } from "../proofs/index.ts";
import { hex } from "../kit/bytes.ts";

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
 * - `pending`: the newest record has no anchor yet
 * - `unrecorded`: the document has no record that the chain confirms
 */
export type Comparison =
  | { readonly result: "match"; readonly proof: ConfirmedProof }
  | { readonly result: "mismatch"; readonly proof: ConfirmedProof; readonly earlier: ConfirmedProof | undefined }
  | { readonly result: "pending"; readonly proof: StoredProof }
  | {
      readonly result: "unrecorded";
      /** Reason, unless the journal simply has no record of the document. */
      readonly reason: string | undefined;
      /** Whether journal and chain contradict each other about its record: nothing is signed about it. */
      readonly isContradictory?: true;
      /** Other documents with a record of the same content. */
      readonly recordedAs: readonly string[];
    };

/** Number of rows by result. */
export interface Totals {
  readonly documents: number;
  readonly match: number;
  readonly mismatch: number;
  readonly unrecorded: number;
  readonly pending: number;
}

export const NO_ROWS: Totals = { documents: 0, match: 0, mismatch: 0, unrecorded: 0, pending: 0 };

export function counted(totals: Totals, { result }: Comparison): Totals {
  return { ...totals, documents: totals.documents + 1, [result]: totals[result] + 1 };
}

/** Returns whether a proof was on chain at a time, in Unix seconds; without a time, whether it is on chain now. */
export function isConfirmedBy(proof: StoredProof, asOf: number | undefined): proof is ConfirmedProof {
  return proof.outcome.state === "confirmed" && (asOf === undefined || proof.outcome.block.time <= asOf);
}

/** A finished comparison of restored documents with their records. */
export interface RecoveryVerification {
  readonly id: string;
  /** Unix seconds; later records are ignored. */
  readonly asOf: number | undefined;
  /** The newest entry of the journal at the start: later documents do not count as missing. */
  readonly newestEntry: number;
  /** Unix milliseconds. */
  readonly finishedAt: number;
  readonly totals: Totals;
  /** Merkle root over the returned rows. */
  readonly rowsRoot: Uint8Array;
}

/** A comparison as its entry has it. */
export interface RecordedVerification extends RecoveryVerification {
  /** Covers its documents. */
  readonly documents: Uint8Array;
  /** The issuer's signature over {@link resultText}; `undefined` when nothing could be signed as it ended. */
  readonly signed: string | undefined;
}

/** A comparison whose result is what the issuer signed when it ended. */
export interface SignedVerification extends RecoveryVerification {
  /** Compact JWS over {@link resultText}. */
  readonly signed: string;
}

/** The type of the JWS over a result. */
export const RESULT_TYPE = "sealbook-comparison+jws";

/** Returns the text of a result that is signed. */
export function resultText({ id, asOf, finishedAt, totals, rowsRoot }: RecoveryVerification): string {
  const { documents, match, mismatch, unrecorded, pending } = totals;
  return JSON.stringify({
    verification_id: id,
    as_of: asOf ?? null,
    finished_at: finishedAt,
    totals: { documents, match, mismatch, unrecorded, pending },
    rows_root: hex(rowsRoot),
  });
}

/** The entry of a finished comparison. */
export interface FoundVerification {
  readonly id: string;
  readonly sequence: number;
}
