import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
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

/** A comparison as its entry has it. */
export interface RecordedVerification extends RecoveryVerification {
  /** Covers its documents. */
  readonly documents: Uint8Array;
}

/** Stores comparisons and supplies the records for them. */
export interface RecoveryStore {
  /** Returns the proofs of some documents, newest first. */
  ofDocuments(documentIds: readonly string[], checked: VerifiedEntries): Promise<StoredProof[]>;
  /** Returns the newest proofs of a content, newest first. */
  ofContent(hash: Uint8Array, limit: number, checked: VerifiedEntries): Promise<StoredProof[]>;
  /**
   * Returns the proofs among the entries after one.
   * @returns also the last of these entries; `undefined` when there is none
   */
  proofsAfter(
    sequence: number,
    limit: number,
    checked: VerifiedEntries,
  ): Promise<{ readonly proofs: StoredProof[]; readonly last: number | undefined }>;
  /** Stores that a comparison contains documents. */
  addRestored(verificationId: string, documentIds: readonly string[]): Promise<void>;
  /** Returns those of some documents that a comparison contains. */
  restored(
    verification: RecordedVerification,
    documentIds: readonly string[],
    checked: VerifiedEntries,
  ): Promise<ReadonlySet<string>>;
  begin(id: string, startedAt: number): Promise<void>;
  /** Appends the result to the journal. */
  finish(verification: RecoveryVerification): Promise<RecordedVerification>;
  /**
   * Finds the entry of a finished comparison.
   * @param id Id of the comparison; the newest when `undefined`
   */
  find(id: string | undefined): Promise<{ readonly id: string; readonly sequence: number } | undefined>;
  /** Deletes a comparison. */
  forget(id: string): Promise<void>;
  /** Returns comparisons that began before a time (Unix milliseconds) and are unfinished. */
  unfinished(startedBefore: number): Promise<string[]>;
}
