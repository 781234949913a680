/**
 * Runs the tests: `npm test` the short part, `npm run test:all` both.
 *
 *     node test/run/main.ts short [long]
 *
 * A file with a failing test runs once more by itself at the end. The run fails when it fails again. Its last line is
 * `N passed, N failed, N skipped`.
 */
import { join } from "node:path";
import { shareCluster } from "../support/database.ts";
import { type Checks, runScripts } from "./checks.ts";
import { type Outcome, runFiles } from "./mocha.ts";
import { Processes } from "./processes.ts";
import type { Failure } from "./results-reporter.ts";
import { ADDED, filesOf, type Part } from "./suite.ts";

const parts = process.argv.slice(2).filter((argument): argument is Part => argument === "short" || argument === "long");
if (parts.length === 0) throw new Error("Usage: node test/run/main.ts short|long ...");

const ORPHAN_MILLISECONDS = 500;
const begin = Date.now();
const processes = await Processes.open();
// Read by all programs that the run starts.
process.env["TMPDIR"] = processes.folder;
process.env["NODE_COMPILE_CACHE"] = join(import.meta.dirname, "../../node_modules/.cache/compiled");
const opened = new AsyncDisposableStack();
const close = async (): Promise<string[]> => {
  await opened.disposeAsync();
  return processes.close();
};
const interrupt = (): void => void close().then(() => process.exit(130));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, interrupt);
// npm starts this through a shell, which passes no signal on.
const { ppid } = process;
const watch = setInterval(() => {
  if (process.ppid === ppid) return;
  clearInterval(watch);
  interrupt();
}, ORPHAN_MILLISECONDS);

const checks: Checks = { passed: 0, failed: 0, skipped: 0, failing: [] };
const outcomes: Outcome[] = [];
const cluster = await shareCluster();
opened.defer(() => cluster.remove());
if (parts.includes("short")) {
  await runScripts(processes, checks, "check-generated");
  // A running server of this folder reads the generated files: nothing else writes them.
  process.env["HARDHAT_NO_TYPECHAIN"] = "true";
  // Hardhat's own tests and the compiler's output are done before the tests of the server read it.
  await Promise.all([
    runScripts(processes, checks, "typecheck"),
    runScripts(processes, checks, "test:solidity", "test:contracts"),
  ]);
  outcomes.push(await runFiles(processes, filesOf("short")));
}
if (parts.includes("long")) {
  await Promise.all([
    runScripts(processes, checks, "lint"),
    runScripts(processes, checks, "coverage", "slither", "test:python"),
  ]);
  outcomes.push(await runFiles(processes, filesOf("long")));
}
const left = await close();

const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, checks.passed);
const failed = outcomes.flatMap((outcome) => outcome.failed);
const skipped = outcomes.flatMap((outcome) => outcome.skipped);
const show = (title: string, failures: readonly Failure[]): void => {
  if (failures.length === 0) return;
  console.log(`\n${title}:`);
  for (const { file, title, error } of failures) console.log(`\n${file}: ${title}\n${error.replace(/^/gm, "    ")}`);
};
const list = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join("\n")}`);
};
show(
  "Unstable: failed in the run, passed alone",
  outcomes.flatMap((outcome) => outcome.unstable),
);
show("Failed", failed);
list("Failed scripts", checks.failing);
list("Skipped", skipped);
list("Processes that had not ended by themselves", left);
console.log(`\n${Math.round((Date.now() - begin) / 1000)} s.`);
if (!parts.includes("long")) console.log(`npm run test:all adds lint, coverage, ${ADDED}`);
const numbers = [passed, checks.failed + failed.length, checks.skipped + skipped.length];
console.log(`${numbers[0]} passed, ${numbers[1]} failed, ${numbers[2]} skipped`);
process.exit(checks.failing.length + failed.length === 0 ? 0 : 1);
