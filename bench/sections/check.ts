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
const Timed = z.object({ findings: z.number(), seconds: z.number(), cpuSeconds: z.number() });
const Output = z.object({ entries: z.number(), rows: Timed, all: Timed });

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
  const { entries, rows, all } = Output.parse(JSON.parse(stdout));
  for (const [name, { findings, seconds, cpuSeconds }, target] of [
    ["rows, digests and codes", rows, 80_000],
    ["all, with keys and roots", all, 20_000],
  ] as const) {
    if (findings > 0) throw new Error(`${findings} findings in a journal in which nothing is wrong`);
    const perSecond = entries / seconds;
    report.add({
      section: "check",
      name: `offline, ${entries} entries: ${name}`,
      value: perSecond,
      unit: "entries/s",
      details: { "processor time an entry_µs": (cpuSeconds / entries) * 1e6 },
      targets: [atLeast(perSecond, target, "entries/s")],
    });
  }
  await rm(directory, { recursive: true });
}
