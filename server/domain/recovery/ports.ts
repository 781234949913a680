import type { StoredProof } from "../proofs/proof.ts";
import type { Totals } from "./restored.ts";

/** A comparison of restored documents with what was recorded. */
export interface RecoveryVerification {
  readonly id: string;
  /** Unix seconds; what was recorded later did not count. */
  readonly asOf: number | undefined;
  /** Unix milliseconds. */
  readonly finishedAt: number;
  readonly totals: Totals;
  /** Merkle root over its rows. */
  readonly rowsRoot: Uint8Array;
}

/** What comparisons leave behind, and what they ask. */
export interface RecoveryStore {
  /** Proofs of any of some documents, newest first. */
  ofDocuments(documentIds: readonly string[]): Promise<StoredProof[]>;
  /** Some of the documents that a content was recorded of. */
  documentsWith(hash: Uint8Array, limit: number): Promise<string[]>;
  /** Proofs in the order of their entries, after one. */
  proofsAfter(sequence: number, limit: number): Promise<{ readonly sequence: number; readonly proof: StoredProof }[]>;
  /** Remembers that documents were in what was restored. */
  addRestored(verificationId: string, documentIds: readonly string[]): Promise<void>;
  /** Which of some documents were in what was restored. */
  restored(verificationId: string, documentIds: readonly string[]): Promise<ReadonlySet<string>>;
  begin(verification: { readonly id: string; readonly asOf: number | undefined; readonly startedAt: number }): Promise<void>;
  finish(verification: RecoveryVerification): Promise<void>;
  /**
   * A comparison that was finished.
   * @param id the newest when `undefined`
   */
  find(id: string | undefined): Promise<RecoveryVerification | undefined>;
  /** Forgets comparisons that began before a time (Unix milliseconds) and were never finished. */
  forgetUnfinished(startedBefore: number): Promise<void>;
}
