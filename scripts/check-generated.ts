/**
 * Compiles the contracts anew and fails when `typechain-types/` is not what comes out: then the contracts were
 * changed and the generated files were not, or the generated files were edited. The new ones are left in place.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, runHardhat } from "./hardhat.ts";

const FOLDER = join(ROOT, "typechain-types");

function readFolder(): Map<string, string> {
  const entries = readdirSync(FOLDER, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [file.slice(ROOT.length), readFileSync(file, "utf8")]));
}

function difference(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((file) => {
    if (!after.has(file)) return [`${file} is not generated any more`];
    if (!before.has(file)) return [`${file} was missing`];
    return before.get(file) === after.get(file) ? [] : [`${file} was different`];
  });
}

const before = readFolder();
// TypeChain leaves files of contracts that are gone: only an empty folder shows them.
rmSync(FOLDER, { recursive: true });
if (!runHardhat("compile", "--force", "--no-tests").ok) {
  for (const [file, text] of before) {
    mkdirSync(dirname(join(ROOT, file)), { recursive: true });
    writeFileSync(join(ROOT, file), text);
  }
  console.error("The contracts do not compile.");
  process.exit(1);
}

const different = difference(before, readFolder());
if (different.length > 0) {
  console.error(`The generated files did not match the contracts:\n  ${different.join("\n  ")}`);
  console.error("They do now: commit them together with the contracts.");
  process.exit(1);
}
console.log(`${before.size} generated files match the contracts.`);
