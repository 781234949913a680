import { ClientError } from "../../client/index.ts";
import { forEachConcurrently } from "./pool.ts";
import { showProgress } from "./progress.ts";
import { type ProveSettings, type ProveSignals, proveFile } from "./prove-file.ts";
import { reasonOf } from "./reason.ts";
import { type DocumentSummary, type FailureSummary, type ProveSummary, summarizeFile } from "./summary.ts";
import type { Found } from "./walk.ts";

/** A run over many files. */
export interface ProveRun {
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
      bytes: documents.reduce((sum, { bytes }) => sum + bytes, 0),
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
