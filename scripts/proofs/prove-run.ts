import { relative, sep } from "node:path";
import { type ProvedFile, proveFile, type ProveSettings, type ProveSignals } from "./prove-file.ts";
import { ClientError } from "../../client/index.ts";
import { forEachConcurrently, showProgress } from "./file-run.ts";
import { reasonOf } from "./reason.ts";
import type { Found } from "./files.ts";

/** A document with a proof. */
interface DocumentSummary {
  readonly file: string;
  readonly document_id: string;
  /** Absent for a hash that was made elsewhere. */
  readonly bytes?: number;
  readonly hash: string;
  readonly record_hash: string;
  /** Path of the bundle below the folder of bundles. */
  readonly bundle_file: string;
  readonly reused: boolean;
}

/** A file without a proof. */
interface FailureSummary {
  readonly file: string;
  readonly reason: string;
}

/** Results of a run. */
interface ProveSummary {
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

function summarizeFile(file: string, { bundleFile, ...proved }: ProvedFile, directory: string): DocumentSummary {
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

/** A run over many files. */
interface ProveRun {
  readonly found: Found;
  readonly settings: ProveSettings;
  readonly server: string;
  readonly concurrency: number;
  readonly signals: ProveSignals;
}

/** Proves all files. Continues after a failed file and stops if the server is unreachable. */
export async function proveAll({ found, settings, server, concurrency, signals }: ProveRun): Promise<ProveSummary> {
  const started = new Date();
  const documents: DocumentSummary[] = [];
  const failures: FailureSummary[] = found.unreadable.map(({ id, reason }) => ({ file: id, reason }));
  const lost = new AbortController();
  const stop = AbortSignal.any([signals.stop, lost.signal]);
  const progress = showProgress("proving", found.files.length);
  let anchored = 0;
  try {
    await forEachConcurrently(
      found.files,
      concurrency,
      async (file) => {
        try {
          const proved = await proveFile(file, settings, { ...signals, stop });
          documents.push(summarizeFile(file.id, proved, settings.directory));
          if (!proved.reused) anchored += 1;
        } catch (error) {
          if (isAbort(error, stop, signals.giveUp)) return;
          failures.push({ file: file.id, reason: reasonOf(error) });
          // Further files would run into the same timeout.
          if (error instanceof ClientError && error.code === "unreachable") lost.abort();
        }
        progress.tick();
      },
      stop,
    );
  } finally {
    progress.stop();
  }
  const files = found.files.length + found.unreadable.length;
  return {
    format: "sealbook-summary/2",
    server,
    started: started.toISOString(),
    seconds: (Date.now() - started.getTime()) / 1000,
    interrupted: signals.stop.aborted,
    totals: {
      files,
      bytes: documents.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
      anchored,
      reused: documents.length - anchored,
      failed: failures.length,
      not_tried: files - documents.length - failures.length,
    },
    documents: documents.sort(byFile),
    failures: failures.sort(byFile),
  };
}

function isAbort(error: unknown, ...signals: AbortSignal[]): boolean {
  return signals.some(({ aborted }) => aborted) && error instanceof Error && error.name === "AbortError";
}

function byFile(a: { file: string }, b: { file: string }): number {
  return a.file < b.file ? -1 : 1;
}
