/**
 * Runs the contracts' unit tests and fails unless they run every line and every statement of every contract.
 *
 * Hardhat counts statements, not branches. The contracts are therefore written so that each branch is a statement
 * of its own (`if (wrong) revert Wrong();` and no `require`, no `? :`): with all statements run, both ways of every
 * condition were taken, the revert and what follows it. This script holds them to it.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runHardhat } from "./hardhat.ts";

/** Ways to branch within a statement; `&&` and `||` are conditions of the one branch they stand in. */
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

/** Lines found and run, for each file of an lcov report. */
function linesOf(lcov: string): Map<string, { found: number; run: number }> {
  const sections = lcov.split("end_of_record").filter((section) => section.includes("SF:"));
  return new Map(
    sections.map((section) => {
      const number = (key: string) => Number(new RegExp(`^${key}:(\\d+)$`, "m").exec(section)?.[1]);
      return [/^SF:(.*)$/m.exec(section)?.[1] ?? "", { found: number("LF"), run: number("LH") }];
    }),
  );
}

/** Percentage of statements in the table that Hardhat prints; its lcov report has none. */
function statementsOf(output: string, file: string): string | undefined {
  const row = output.split("\n").find((line) => line.includes(` ${file} `));
  return row?.split("│")[2]?.trim();
}

// Without TypeChain, or it would write the code that counts into the generated files.
const { ok, output } = runHardhat("test", "mocha", "--coverage", "--no-typechain");
if (!ok) process.exit(1);

const lines = linesOf(readFileSync(join(ROOT, "coverage", "lcov.info"), "utf8"));
const faults = contractFiles().flatMap((file) => {
  const { found, run } = lines.get(file) ?? { found: 0, run: 0 };
  const statements = statementsOf(output, file);
  return [
    ...(found > 0 && run === found ? [] : [`${file}: ${run} of ${found} lines run`]),
    ...(statements === "100.00" ? [] : [`${file}: ${statements ?? "0"}% of statements run`]),
    ...(HIDDEN_BRANCH.test(withoutComments(readFileSync(join(ROOT, file), "utf8")))
      ? [`${file}: has a branch within a statement, which coverage cannot see`]
      : []),
  ];
});
if (faults.length > 0) {
  console.error(`Coverage of the contracts is not complete:\n  ${faults.join("\n  ")}`);
  process.exit(1);
}
console.log(`Every line and statement of ${lines.size} contract files was run.`);
