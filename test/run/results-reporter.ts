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
  readonly passed: number;
  readonly failures: readonly Failure[];
  /** Titles of skipped tests. */
  readonly skipped: readonly string[];
  /** Files of which a result arrived. */
  readonly files: readonly string[];
}

/** Prints like mocha's `spec`, and writes the results to the file of the option `output`. */
class ResultsReporter extends Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    const files = new Set<string>();
    const failures: Failure[] = [];
    const skipped: string[] = [];
    let passed = 0;
    const fileOf = ({ file }: { file?: string | undefined }): string => {
      const path = file === undefined ? "" : relative(ROOT, file);
      if (path !== "") files.add(path);
      return path;
    };
    runner.on("pass", (test) => {
      fileOf(test);
      passed += 1;
    });
    runner.on("pending", (test) => {
      skipped.push(`${fileOf(test)}: ${test.fullTitle()}`);
    });
    runner.on("fail", (test, error: Error) => {
      failures.push({ file: fileOf(test), title: test.fullTitle(), error: error.stack ?? String(error) });
    });
    runner.once("end", () => {
      const results: Results = { passed, failures, skipped, files: [...files] };
      writeFileSync(options.reporterOptions?.output ?? "results.json", JSON.stringify(results));
    });
  }
}

// Mocha loads a reporter with `require`, which returns this export.
export { ResultsReporter as "module.exports" };
