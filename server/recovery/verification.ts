import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { StoredProof } from "../proofs/index.ts";
import { hex } from "../kit/hex.ts";
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
  /** The issuer's signature over {@link resultText}; `undefined` when nothing could be signed as it ended. */
  readonly signed: string | undefined;
}

/** A comparison whose result is what the issuer signed when it ended. */
export interface SignedVerification extends RecoveryVerification {
  /** Compact JWS over {@link resultText}. */
  readonly signed: string;
}

/** Signs results of comparisons, and recognises them. */
export interface ResultSigner {
  /** @returns a compact JWS; `undefined` while the issuer signs nothing */
  sign(text: string): Promise<string | undefined>;
  /** Returns whether one of the issuer's keys, current or retired, has signed a result. */
  isSigned(jws: string, text: string): Promise<boolean>;
}

/** Returns the text of a result that is signed. */
export function resultText({ id, asOf, finishedAt, totals, rowsRoot }: RecoveryVerification): string {
  const { documents, match, mismatch, unrecorded } = totals;
  return JSON.stringify({
    verification_id: id,
    as_of: asOf ?? null,
    finished_at: finishedAt,
    totals: { documents, match, mismatch, unrecorded },
    rows_root: hex(rowsRoot),
  });
}

/** The entry of a finished comparison. */
export interface FoundVerification {
  readonly id: string;
  readonly sequence: number;
}

/** Supplies the records of documents. */
export interface RecoveryStore {
  /** Returns the proofs of some documents, newest first. */
  ofDocuments(documentIds: readonly string[], checked: VerifiedEntries): Promise<StoredProof[]>;
  /**
   * Returns the newest entries before another one that have the index key of a document, as far as there is one; of a
   * proof of the document, unless another one has the same key by chance or was changed.
   */
  newestOfEach(documentIds: readonly string[], before: number, checked: VerifiedEntries): Promise<Map<string, number>>;
  /** Returns the proofs of some entries that belong to these documents. */
  ofEntries(wanted: ReadonlyMap<string, number>, checked: VerifiedEntries): Promise<StoredProof[]>;
  /** Returns the proofs of a document between two entries in pages, newest first. */
  ofDocument(documentId: string, after: number, before: number, checked: VerifiedEntries): AsyncIterable<StoredProof[]>;
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
}

/** Stores comparisons with their documents. */
export interface VerificationStore {
  /** @param verification.room Documents that it counts as from the start */
  begin(verification: {
    readonly id: string;
    readonly caller: string;
    readonly startedAt: number;
    readonly room: number;
  }): Promise<void>;
  /** Stores that a comparison contains documents, and counts them. */
  addRestored(verificationId: string, documentIds: readonly string[]): Promise<void>;
  /** Returns those of some documents that a comparison contains. */
  restored(
    verification: RecordedVerification,
    documentIds: readonly string[],
    checked: VerifiedEntries,
  ): Promise<ReadonlySet<string>>;
  /** Appends the result to the journal. */
  finish(verification: RecoveryVerification, signed: string | undefined): Promise<RecordedVerification>;
  /** Finds a finished comparison. */
  find(id: string): Promise<FoundVerification | undefined>;
  /** Finds the newest comparison of a caller that still has its documents. */
  newest(caller: string): Promise<FoundVerification | undefined>;
  /** Returns how many documents each caller's comparisons count as. */
  rooms(): Promise<readonly { readonly caller: string; readonly room: number }[]>;
  /** Returns the oldest finished comparison of a caller that has its documents. */
  oldest(caller: string): Promise<string | undefined>;
  /** Returns finished comparisons that began before a time (Unix milliseconds) and have their documents. */
  finishedBefore(startedBefore: number): Promise<string[]>;
  /** Deletes the documents of a finished comparison; its result remains. */
  release(id: string): Promise<void>;
  /** Deletes an unfinished comparison. */
  forget(id: string): Promise<void>;
  /** Returns comparisons that began before a time (Unix milliseconds) and are unfinished. */
  unfinished(startedBefore: number): Promise<string[]>;
}
