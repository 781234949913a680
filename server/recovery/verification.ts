import type { StoredProof } from "../proofs/index.ts";
import type { Totals } from "./restored.ts";

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

/** A proof and its entry in the journal. */
export interface RecordedProof {
  readonly sequence: number;
  readonly proof: StoredProof;
}

/** Stores comparisons and supplies the records for them. */
export interface RecoveryStore {
  /** Returns the proofs of some documents, newest first. */
  ofDocuments(documentIds: readonly string[]): Promise<RecordedProof[]>;
  /** Returns the newest proofs of a content, newest first. */
  ofContent(hash: Uint8Array, limit: number): Promise<StoredProof[]>;
  /** Returns proofs in the order of their entries, after one entry. */
  proofsAfter(sequence: number, limit: number): Promise<RecordedProof[]>;
  /** Stores that a comparison contains documents. */
  addRestored(verificationId: string, documentIds: readonly string[]): Promise<void>;
  /** Returns those of some documents that a comparison contains. */
  restored(verificationId: string, documentIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** @returns the newest entry of the journal */
  begin(verification: {
    readonly id: string;
    readonly asOf: number | undefined;
    readonly startedAt: number;
  }): Promise<number>;
  finish(verification: RecoveryVerification): Promise<void>;
  /**
   * Finds a finished comparison.
   * @param id Id of the comparison; the newest when `undefined`
   */
  find(id: string | undefined): Promise<RecoveryVerification | undefined>;
  /** Deletes a comparison. */
  forget(id: string): Promise<void>;
  /** Returns comparisons that began before a time (Unix milliseconds) and are unfinished. */
  unfinished(startedBefore: number): Promise<string[]>;
}
