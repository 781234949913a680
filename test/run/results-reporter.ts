import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import mocha, { type MochaOptions, type Runner } from "mocha";

const { Spec } = mocha.reporters;
const ROOT = `${import.meta.dirname}/../..`;

/** Failure of a test or of a hook. */
export interface Failure {
  readonly file: string;
  readonly title: string;
  readonly error: string;
}

/** Results of a run of mocha. */
export interface Results {
  /** Tests that passed, by file: of each file of which a result arrived. */
  readonly passed: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
  /** Titles of skipped tests. */
  readonly skipped: readonly string[];
}

/** Prints like mocha's `spec`, and writes the results to the file of the option `output`. */
class ResultsReporter extends Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    const passed: Record<string, number> = {};
    const failures: Failure[] = [];
    const skipped: string[] = [];
    const fileOf = ({ file }: { file?: string | undefined }): string => {
      const path = file === undefined ? "" : relative(ROOT, file);
      if (path !== "") passed[path] ??= 0;
      return path;
    };
    runner.on("pass", (test) => {
      const file = fileOf(test);
      passed[file] = (passed[file] ?? 0) + 1;
    });
    runner.on("pending", (test) => {
      skipped.push(`${fileOf(test)}: ${test.fullTitle()}`);
    });
    runner.on("fail", (test, error: Error) => {
      failures.push({ file: fileOf(test), title: test.fullTitle(), error: textOf(error) });
    });
    runner.once("end", () => {
      const results: Results = { passed, failures, skipped };
      writeFileSync(options.reporterOptions?.output ?? "results.json", JSON.stringify(results));
    });
  }
}

/** Returns the stack of an error and those of its causes. */
function textOf(error: Error): string {
  const text = error.stack ?? String(error);
  return error.cause instanceof Error ? `${text}\ncaused by ${textOf(error.cause)}` : text;
}

// Mocha loads a reporter with `require`, which returns this export.
export { ResultsReporter as "module.exports" };
