import type { ComparedDocument, RecordedDocument } from "../../client/index.ts";

type Row<Result extends ComparedDocument["result"]> = Extract<ComparedDocument, { result: Result }> & {
  readonly file: string;
};

/** A file that differs from the last record of its document. */
export type Mismatch = Row<"mismatch">;
/** A file whose newest record has no anchor yet. */
export type Pending = Row<"pending">;
/** A file without a record of its document. */
export type Unrecorded = Row<"unrecorded">;

/** A recorded document that is missing from the restored files. */
export type Missing = RecordedDocument & {
  /** Unrecorded files with the same content, which may be the renamed document. */
  readonly found_as?: readonly string[];
};

/** A file that could not be compared. */
export interface NotChecked {
  readonly file: string;
  readonly document_id?: string;
  readonly reason: string;
}

/** Result of comparing a restored tree with its records. */
export interface RecoveryReport {
  readonly format: "sealbook-recovery/1";
  /** Whether all recorded documents are unchanged and there are no other files. */
  readonly all_matched: boolean;
  readonly server: string;
  readonly directory: string;
  /** `path`, or the manifest. */
  readonly id_from: string;
  readonly id_prefix: string;
  readonly started: string;
  readonly seconds: number;
  /** Unix seconds; later records are not considered. */
  readonly as_of: number | null;
  readonly verification_id: string;
  readonly finished_at: number;
  /** Merkle root over the lines of `rows_file`. */
  readonly rows_root: string;
  readonly rows_file: string;
  readonly totals: {
    readonly files: number;
    readonly bytes: number;
    readonly match: number;
    readonly mismatch: number;
    readonly unrecorded: number;
    readonly pending: number;
    readonly missing: number;
    readonly not_checked: number;
    readonly unlisted: number;
  };
  readonly mismatches: readonly Mismatch[];
  readonly unrecorded: readonly Unrecorded[];
  readonly pending: readonly Pending[];
  readonly missing: readonly Missing[];
  readonly not_checked: readonly NotChecked[];
  /** Files that the manifest does not list and that were not compared. */
  readonly unlisted: readonly string[];
}

/** Formats the report as one line. */
export function summaryLine({ totals, seconds }: RecoveryReport): string {
  const { files, bytes, match, mismatch, unrecorded, pending, missing, not_checked, unlisted } = totals;
  const unlistedToo = unlisted === 0 ? "" : `, ${unlisted} not in the manifest`;
  const pendingToo = pending === 0 ? "" : `, ${pending} not anchored yet`;
  const missingToo = `${missing} recorded ${missing === 1 ? "document is" : "documents are"} missing`;
  return (
    `${match} of ${files} files match (${mismatch} mismatch, ${unrecorded} unrecorded, ${not_checked} not ` +
    `checked${pendingToo}${unlistedToo}), ` +
    `${missingToo}, ${bytes} bytes, ${seconds.toFixed(1)} s`
  );
}
