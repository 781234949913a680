import { forEachConcurrently } from "./pool.ts";
import { showProgress } from "./progress.ts";
import { printable } from "./reason.ts";
import { type Result, RESULTS, type Verdict, verifyFile, type VerifySettings } from "./verify-file.ts";
import type { Found } from "./walk.ts";

/** Results of a run. */
export interface VerifyReport {
  readonly format: "sealbook-verification/1";
  readonly seconds: number;
  readonly totals: { readonly files: number; readonly bytes: number; readonly verified_by_server: number } & Readonly<
    Record<Result, number>
  >;
  readonly results: readonly Verdict[];
}

export async function verifyAll(found: Found, settings: VerifySettings, concurrency: number): Promise<VerifyReport> {
  const start = performance.now();
  const results: Verdict[] = found.unreadable.map(({ id, reason }) => ({ file: id, result: "not_checked", reason }));
  const progress = showProgress("verifying", found.files.length);
  try {
    await forEachConcurrently(found.files, concurrency, async (file) => {
      results.push(await verifyFile(file, settings));
      progress.tick();
    });
  } finally {
    progress.stop();
  }
  const counts: Record<Result, number> = { verified: 0, changed: 0, no_proof: 0, chain_disagrees: 0, not_checked: 0 };
  let bytes = 0;
  let verified_by_server = 0;
  for (const verdict of results) {
    counts[verdict.result] += 1;
    bytes += verdict.bytes ?? 0;
    if (verdict.result === "verified" && verdict.by === "server") verified_by_server += 1;
  }
  return {
    format: "sealbook-verification/1",
    seconds: (performance.now() - start) / 1000,
    totals: { files: results.length, bytes, ...counts, verified_by_server },
    results: results.sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
}

/** Formats the report: all files that are not verified, and the totals. */
export function reportText({ totals, results, seconds }: VerifyReport): string {
  const faults = results.filter(({ result }) => result !== "verified");
  const lines = faults.map(
    ({ file, result, reason = "" }) => `${label(result)}: ${printable(file)}: ${printable(reason)}`,
  );
  const counts = RESULTS.slice(1).map((result) => `${totals[result]} ${label(result)}`);
  const byServer = totals.verified_by_server === 0 ? "" : `, ${totals.verified_by_server} of them only by the server`;
  const rate = seconds > 0 ? totals.files / seconds : 0;
  return [
    ...lines,
    `${totals.verified} of ${totals.files} files verified${byServer} (${counts.join(", ")}), ` +
      `${totals.bytes} bytes, ${seconds.toFixed(1)} s, ${rate.toFixed(0)} files/s`,
  ].join("\n");
}

function label(result: Result): string {
  return result.replace("_", " ");
}
