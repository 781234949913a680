import type { ComparedDocument, RecordedDocument } from "../../client/index.ts";

type Row<Result extends ComparedDocument["result"]> = Extract<ComparedDocument, { result: Result }> & {
  readonly file: string;
};

/** A file that is not what was recorded of its document last. */
export type Mismatch = Row<"mismatch">;
/** A file of whose document nothing was recorded. */
export type Unrecorded = Row<"unrecorded">;

/** A document that was recorded and is not in what was restored. */
export type Missing = RecordedDocument & {
  /** Unrecorded files of the same content: it may have been renamed. */
  readonly found_as?: readonly string[];
};

/** A file that could not be compared. */
export interface NotChecked {
  readonly file: string;
  readonly document_id?: string;
  readonly reason: string;
}

/** What came of comparing a restored tree with what was recorded. */
export interface RecoveryReport {
  readonly format: "sealbook-recovery/1";
  /** Whether everything that was recorded is there as it was, and nothing else. */
  readonly all_matched: boolean;
  readonly server: string;
  readonly directory: string;
  /** `path`, or the manifest. */
  readonly id_from: string;
  readonly id_prefix: string;
  readonly started: string;
  readonly seconds: number;
  /** Unix seconds: what was recorded later did not count. */
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
    readonly missing: number;
    readonly not_checked: number;
    readonly unlisted: number;
  };
  readonly mismatches: readonly Mismatch[];
  readonly unrecorded: readonly Unrecorded[];
  readonly missing: readonly Missing[];
  readonly not_checked: readonly NotChecked[];
  /** Files that the manifest does not name; they were not compared. */
  readonly unlisted: readonly string[];
}

/** The report in one line. */
export function summaryLine({ totals, seconds }: RecoveryReport): string {
  const { files, bytes, match, mismatch, unrecorded, missing, not_checked, unlisted } = totals;
  const unlistedToo = unlisted === 0 ? "" : `, ${unlisted} not in the manifest`;
  const missingToo = `${missing} recorded ${missing === 1 ? "document is" : "documents are"} missing`;
  return (
    `${match} of ${files} files match (${mismatch} mismatch, ${unrecorded} unrecorded, ${not_checked} not checked${unlistedToo}), ` +
    `${missingToo}, ${bytes} bytes, ${seconds.toFixed(1)} s`
  );
}

/** The report as JSON, an item of a list a line: in pieces, because lists can be longer than a text can be. */
export function* reportJson(report: RecoveryReport): Generator<string, void> {
  let before = "{\n";
  for (const [name, value] of Object.entries(report)) {
    yield `${before}  ${JSON.stringify(name)}: `;
    if (Array.isArray(value)) yield* listJson(value);
    else yield JSON.stringify(value);
    before = ",\n";
  }
  yield "\n}\n";
}

function* listJson(items: readonly unknown[]): Generator<string, void> {
  yield "[";
  for (const [index, item] of items.entries()) yield `${index === 0 ? "" : ","}\n    ${JSON.stringify(item)}`;
  yield items.length === 0 ? "]" : "\n  ]";
}
