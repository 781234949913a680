import type { StoredProof } from "../proofs/index.ts";
import type { Totals } from "./restored.ts";

/** A comparison of restored documents with what was recorded. */
export interface RecoveryVerification {
  readonly id: string;
  /** Unix seconds; what was recorded later did not count. */
  readonly asOf: number | undefined;
  /** The newest entry of the journal when it began: what came later is not missing from it. */
  readonly newestEntry: number;
  /** Unix milliseconds. */
  readonly finishedAt: number;
  readonly totals: Totals;
  /** Merkle root over its rows. */
  readonly rowsRoot: Uint8Array;
}

/** A proof and its entry in the journal. */
export interface RecordedProof {
  readonly sequence: number;
  readonly proof: StoredProof;
}

/** What comparisons leave behind, and what they ask. */
export interface RecoveryStore {
  /** Proofs of any of some documents, newest first. */
  ofDocuments(documentIds: readonly string[]): Promise<RecordedProof[]>;
  /** The newest proofs of a content, newest first. */
  ofContent(hash: Uint8Array, limit: number): Promise<StoredProof[]>;
  /** Proofs in the order of their entries, after one. */
  proofsAfter(sequence: number, limit: number): Promise<RecordedProof[]>;
  /** Remembers that documents were in what was restored. */
  addRestored(verificationId: string, documentIds: readonly string[]): Promise<void>;
  /** Which of some documents were in what was restored. */
  restored(verificationId: string, documentIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** @returns the newest entry of the journal */
  begin(verification: {
    readonly id: string;
    readonly asOf: number | undefined;
    readonly startedAt: number;
  }): Promise<number>;
  finish(verification: RecoveryVerification): Promise<void>;
  /**
   * A comparison that was finished.
   * @param id the newest when `undefined`
   */
  find(id: string | undefined): Promise<RecoveryVerification | undefined>;
  /** Forgets a comparison. */
  forget(id: string): Promise<void>;
  /** Comparisons that began before a time (Unix milliseconds) and were never finished. */
  unfinished(startedBefore: number): Promise<string[]>;
}
