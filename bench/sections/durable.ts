import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import type { Bench } from "../run/bench.ts";
import { showProgress } from "../run/progress.ts";

const SCRIPT = join(import.meta.dirname, "../baselines/durable-inserts.ts");
const SIZES = [250, 1_000];
const Output = z.object({ perSecond: z.number() });

/** Measures durable writes of proof rows, without a server and without a chain. */
export async function durable({ report, root, seconds, warmUpSeconds }: Bench): Promise<void> {
  for (const size of SIZES) {
    const directory = await mkdtemp(join(root, "durable-"));
    const name = `${size} rows a commit`;
    using _progress = showProgress(`durable: ${name}`, seconds + warmUpSeconds, "s");
    const parameters = [
      SCRIPT,
      join(directory, "journal.sqlite"),
      String(size),
      String(warmUpSeconds),
      String(seconds),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, parameters);
    report.add({ section: "durable", name, value: Output.parse(JSON.parse(stdout)).perSecond, unit: "rows/s" });
    await rm(directory, { recursive: true });
  }
}
