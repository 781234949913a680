import { relative, sep } from "node:path";
import type { ProvedFile } from "./prove-file.ts";

/** A document with a proof. */
export interface DocumentSummary {
  readonly file: string;
  readonly document_id: string;
  readonly bytes: number;
  readonly hash: string;
  readonly record_hash: string;
  readonly tx_hash: string;
  readonly block_number: number;
  /** The block's time, Unix seconds. */
  readonly timestamp: number;
  /** Path of the proof file below the folder of proofs. */
  readonly proof_file: string;
  /** Path of the bundle below the folder of proofs; `null` without bundles. */
  readonly bundle_file: string | null;
  readonly reused: boolean;
}

/** A file without a proof. */
export interface FailureSummary {
  readonly file: string;
  readonly reason: string;
}

/** Results of a run. */
export interface ProveSummary {
  readonly format: "sealbook-summary/1";
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

export function summarizeFile(
  id: string,
  { proof, bytes, proofFile, bundleFile, reused }: ProvedFile,
  directory: string,
): DocumentSummary {
  return {
    file: id,
    document_id: proof.document_id,
    bytes,
    hash: proof.hash,
    record_hash: proof.record_hash,
    tx_hash: proof.tx_hash,
    block_number: proof.block_number,
    timestamp: proof.timestamp,
    proof_file: below(directory, proofFile),
    bundle_file: bundleFile === undefined ? null : below(directory, bundleFile),
    reused,
  };
}

function below(directory: string, path: string): string {
  return relative(directory, path).split(sep).join("/");
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
