import { globSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Tests that `npm run test:all` adds: they take long, or need programs that npm does not install. */
const LONG = [
  "attacks/",
  "faults/",
  "fuzz/",
  "model/",
  "programs/",
  "scripts/",
  "server/chain/embedded/crash.test.ts",
  "server/chain/embedded/snapshot.test.ts",
];
/** Folders with a runner of their own: Hardhat's, and `npm run test:networks`. */
const OTHERS = ["contracts/", "networks/"];
/** Tests that start first, because they take longest: the end of a run keeps all cores busy. */
const FIRST = ["panel/", "attacks/", "faults/", "model/", "scripts/", "integration/"];

/** The two parts of the tests: those of `npm test`, and those that `npm run test:all` adds. */
export type Part = "short" | "long";

/** Returns the test files of a part, in the order in which they start. */
export function filesOf(part: Part): string[] {
  const files = globSync("test/**/*.test.ts", { cwd: ROOT }).sort();
  const chosen = files.filter((file) => !isIn(OTHERS, file) && isIn(LONG, file) === (part === "long"));
  return [...chosen.filter((file) => isIn(FIRST, file)), ...chosen.filter((file) => !isIn(FIRST, file))];
}

/** Names what `npm run test:all` adds. */
export const ADDED = LONG.map((path) => `test/${path}`).join(", ");

function isIn(paths: readonly string[], file: string): boolean {
  return paths.some((path) => file.startsWith(`test/${path}`));
}
