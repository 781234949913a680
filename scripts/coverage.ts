/**
 * Runs the contracts' unit tests and fails unless they cover every line and statement of every contract.
 *
 * Hardhat counts statements, not branches. In the contracts each branch is therefore a separate statement
 * (`if (wrong) revert Wrong();`, no `require`, no `? :`), so that full statement coverage is full branch coverage. This
 * script enforces that.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../server/kit/program-files.ts";
import { runHardhat } from "./hardhat.ts";

/** Branches inside a statement. `&&` and `||` belong to the condition of one branch. */
const HIDDEN_BRANCH = /\brequire\s*\(|\bassert\s*\(|\s\?\s/;

function contractFiles(): string[] {
  return readdirSync(join(ROOT, "contracts"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sol") && !/^(interfaces|mocks)\b/.test(file))
    .map((file) => `contracts/${file}`)
    .sort();
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\/.*|\/\*[^]*?\*\//g, "");
}

/** Reads the number of lines and covered lines of each file of an lcov report. */
function linesOf(lcov: string): Map<string, { found: number; run: number }> {
  const sections = lcov.split("end_of_record").filter((section) => section.includes("SF:"));
  return new Map(
    sections.map((section) => {
      const number = (key: string) => Number(new RegExp(`^${key}:(\\d+)$`, "m").exec(section)?.[1]);
      return [/^SF:(.*)$/m.exec(section)?.[1] ?? "", { found: number("LF"), run: number("LH") }];
    }),
  );
}

/** Reads a file's statement coverage from the table that Hardhat prints. The lcov report does not include it. */
function statementsOf(output: string, file: string): string | undefined {
  const row = output.split("\n").find((line) => line.includes(` ${file} `));
  return row?.split("│")[2]?.trim();
}

// Without TypeChain, which would generate files from the instrumented code.
const { ok, output } = runHardhat("test", "mocha", "--coverage", "--no-typechain");
// Its instrumented contracts are not left for others to deploy.
if (!runHardhat("build", "--quiet").ok || !ok) process.exit(1);

const lines = linesOf(readFileSync(join(ROOT, "coverage", "lcov.info"), "utf8"));
const faults = contractFiles().flatMap((file) => {
  const { found, run } = lines.get(file) ?? { found: 0, run: 0 };
  const statements = statementsOf(output, file);
  return [
    ...(found > 0 && run === found ? [] : [`${file}: ${run} of ${found} lines run`]),
    ...(statements === "100.00" ? [] : [`${file}: ${statements ?? "0"}% of statements run`]),
    ...(HIDDEN_BRANCH.test(withoutComments(readFileSync(join(ROOT, file), "utf8")))
      ? [`${file}: has a branch inside a statement, which coverage does not count`]
      : []),
  ];
});
if (faults.length > 0) {
  console.error(`Coverage of the contracts is not complete:\n  ${faults.join("\n  ")}`);
  process.exit(1);
}
console.log(`Every line and statement of ${lines.size} contract files was run.`);
