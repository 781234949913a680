import type { StoredProof } from "../proofs/index.ts";

/** A document as it came back from a backup. */
export interface RestoredDocument {
  readonly documentId: string;
  /** SHA-256 of what was restored, 32 bytes. */
  readonly hash: Uint8Array;
}

/** A proof that the chain confirms, with its block's time. */
export type ConfirmedProof = StoredProof & {
  readonly outcome: Extract<StoredProof["outcome"], { state: "confirmed" }>;
};

/**
 * What a restored document is, compared with what was recorded of it.
 * - `match`: it is what was recorded last
 * - `mismatch`: something else was recorded last; `earlier` is set when it is what had been recorded before that
 * - `unrecorded`: nothing was recorded of it that the chain confirms
 */
export type Comparison =
  | { readonly result: "match"; readonly proof: ConfirmedProof }
  | { readonly result: "mismatch"; readonly proof: ConfirmedProof; readonly earlier: ConfirmedProof | undefined }
  | {
      readonly result: "unrecorded";
      /** Why not, when there is more to say than that the journal has nothing. */
      readonly reason: string | undefined;
      /** Other documents that the same content was recorded of. */
      readonly recordedAs: readonly string[];
    };

/** How many rows had which result. */
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

/** A proof that was on chain at a time, in Unix seconds; without one, that is on chain. */
export function isConfirmedBy(proof: StoredProof, asOf: number | undefined): proof is ConfirmedProof {
  return proof.outcome.state === "confirmed" && (asOf === undefined || proof.outcome.block.time <= asOf);
}

/**
 * Compares a restored document with what was recorded of it.
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
