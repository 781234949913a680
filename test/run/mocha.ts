import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Processes } from "./processes.ts";
import type { Failure, Results } from "./results-reporter.ts";

/** Reads `.mocharc.json`. */
const MOCHA = join(import.meta.dirname, "../../node_modules/mocha/bin/mocha.js");
const REPORTER = join(import.meta.dirname, "results-reporter.ts");

/** Results of many files, where a failing file had a second chance. */
export interface Outcome {
  readonly passed: number;
  readonly skipped: readonly string[];
  /** Tests of files that failed twice. */
  readonly failed: readonly Failure[];
  /** First failures of files that passed when they ran alone. */
  readonly unstable: readonly Failure[];
}

/** Runs test files concurrently, then each failing one once more by itself. */
export async function runFiles(processes: Processes, files: readonly string[]): Promise<Outcome> {
  const first = await runMocha(processes, files, ["--parallel", "--jobs", String(availableParallelism() + 3)]);
  const failing = new Set([
    ...first.failures.map(({ file }) => file),
    // A process that ended in the middle of a file has sent no results of it.
    ...files.filter((file) => first.passed[file] === undefined),
  ]);
  const passed = { ...first.passed };
  const skipped = [...first.skipped];
  const failed: Failure[] = [];
  const unstable: Failure[] = [];
  for (const file of failing) {
    const before = first.failures.filter((failure) => failure.file === file);
    const failures = before.length > 0 ? before : [{ file, title: "the file", error: "has sent no results" }];
    console.log(`\nOnce more, by itself: ${file}`);
    const again = file === "" ? undefined : await runMocha(processes, [file], []);
    const count = again?.passed[file];
    if (again === undefined || again.failures.length > 0 || count === undefined) {
      failed.push(...(again === undefined || again.failures.length === 0 ? failures : again.failures));
    } else {
      unstable.push(...failures);
      passed[file] = count;
    }
  }
  return { passed: Object.values(passed).reduce((sum, count) => sum + count, 0), skipped, failed, unstable };
}

async function runMocha(processes: Processes, files: readonly string[], options: readonly string[]): Promise<Results> {
  const output = join(processes.folder, `${crypto.randomUUID()}.json`);
  const reporter = ["--reporter", REPORTER, "--reporter-options", `output=${output}`];
  await processes.run(process.execPath, [MOCHA, ...reporter, ...options, ...files], true);
  try {
    return JSON.parse(readFileSync(output, "utf8")) as Results;
  } catch {
    return { passed: {}, failures: [], skipped: [] };
  }
}
