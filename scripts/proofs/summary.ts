import { relative, sep } from "node:path";
import type { ProvedFile } from "./prove-file.ts";

/** A document with a proof. */
export interface DocumentSummary {
  readonly file: string;
  readonly document_id: string;
  readonly bytes: number;
  readonly hash: string;
  readonly record_hash: string;
  /** Path of the bundle below the folder of bundles. */
  readonly bundle_file: string;
  readonly reused: boolean;
}

/** A file without a proof. */
export interface FailureSummary {
  readonly file: string;
  readonly reason: string;
}

/** Results of a run. */
export interface ProveSummary {
  readonly format: "sealbook-summary/2";
  readonly server: string;
  readonly started: string;
  readonly seconds: number;
  readonly interrupted: boolean;
  readonly totals: {
    readonly files: number;
    readonly bytes: number;
    readonly anchored: number;
    readonly reused: number;
    readonly failed: number;
    /** Files not processed because the run ended early. */
    readonly not_tried: number;
  };
  readonly documents: readonly DocumentSummary[];
  readonly failures: readonly FailureSummary[];
}

export function summarizeFile(file: string, { bundleFile, ...proved }: ProvedFile, directory: string): DocumentSummary {
  return { file, ...proved, bundle_file: relative(directory, bundleFile).split(sep).join("/") };
}

/** Formats the summary as one line. */
export function summaryLine({ totals, seconds, interrupted }: ProveSummary): string {
  const { files, bytes, anchored, reused, failed, not_tried } = totals;
  const rate = seconds > 0 ? (anchored + reused) / seconds : 0;
  return [
    `${interrupted ? "interrupted: " : ""}${anchored + reused} of ${files} files have proofs`,
    ` (${anchored} anchored, ${reused} reused, ${failed} failed, ${not_tried} not tried),`,
    ` ${bytes} bytes, ${seconds.toFixed(1)} s, ${rate.toFixed(0)} files/s`,
  ].join("");
}
