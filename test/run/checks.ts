import type { Processes } from "./processes.ts";

/** Scripts of `package.json` whose tests count; `coverage` runs the same tests as `test:contracts`. */
const COUNTED = ["test:solidity", "test:contracts"];

/** Results of the checks of the sources, and of the tests of the contracts. */
export interface Checks {
  passed: number;
  failed: number;
  skipped: number;
  /** Scripts that failed. */
  readonly failing: string[];
}

/** Runs scripts of `package.json` one after the other, and prints the output of each at its end. */
export async function runScripts(processes: Processes, checks: Checks, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const begin = Date.now();
    const { ok, output } = await processes.run("npm", ["run", "--silent", name], false);
    console.log(`${output}${ok ? "✔" : "✖"} npm run ${name}, ${Math.round((Date.now() - begin) / 1000)} s`);
    if (!ok) checks.failing.push(name);
    if (!COUNTED.includes(name)) continue;
    checks.passed += sumBefore("passing", output);
    checks.failed += sumBefore("failing", output);
    checks.skipped += sumBefore("pending", output) + sumBefore("skipped", output);
  }
}

/** Adds up the numbers before a word in the summaries of Hardhat's runners. */
function sumBefore(word: string, output: string): number {
  const numbers = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}`, "gm"))].map(([, digits]) => Number(digits));
  return numbers.reduce((sum, number) => sum + number, 0);
}
