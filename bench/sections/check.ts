import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { openSqlite } from "../../server/journal/engine/sqlite.ts";
import { fillJournal } from "../load/journal.ts";
import type { Bench } from "../run/bench.ts";
import { showProgress } from "../run/progress.ts";
import { atLeast } from "../run/result.ts";

const SCRIPT = join(import.meta.dirname, "../baselines/timed-check.ts");
/** As in the command of `npm run journal`. */
const FLAGS = ["--min-semi-space-size=16"];
const BATCH_SIZE = 1_000;
const Output = z.object({ rows: z.number(), seconds: z.number(), cpuSeconds: z.number(), findings: z.number() });

/** Measures the check of a large journal, without the chain: rows of proofs, confirmations and accounts. */
export async function check({ report, root, quick }: Bench): Promise<void> {
  const proofs = quick ? 20_000 : 300_000;
  const directory = await mkdtemp(join(root, "check-"));
  const file = join(directory, "journal.sqlite");
  const database = await openSqlite(file);
  {
    using progress = showProgress("check: filling a journal", proofs, "proofs");
    await fillJournal(database, { proofs, batchSize: BATCH_SIZE }, (done) => progress.update(done));
  }
  await database.destroy();
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, SCRIPT, file]);
  const { rows, seconds, cpuSeconds, findings } = Output.parse(JSON.parse(stdout));
  if (findings > 0) throw new Error(`${findings} findings in a journal in which nothing is wrong`);
  const perSecond = rows / seconds;
  report.add({
    section: "check",
    name: `offline, ${rows} rows`,
    value: perSecond,
    unit: "rows/s",
    details: { "processor time a row_µs": (cpuSeconds / rows) * 1e6 },
    targets: [atLeast(perSecond, 50_000, "rows/s")],
  });
  await rm(directory, { recursive: true });
}
