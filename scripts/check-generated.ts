/**
 * Recompiles the contracts and fails if the generated `typechain-types/` differ from the committed ones. Leaves the new
 * files in place.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../server/kit/program-files.ts";
import { runHardhat } from "./hardhat.ts";

const FOLDER = join(ROOT, "typechain-types");

function readFolder(): Map<string, string> {
  const entries = readdirSync(FOLDER, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [file.slice(ROOT.length), readFileSync(file, "utf8")]));
}

function difference(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((file) => {
    if (!after.has(file)) return [`${file} is no longer generated`];
    if (!before.has(file)) return [`${file} was missing`];
    return before.get(file) === after.get(file) ? [] : [`${file} differs`];
  });
}

const before = readFolder();
// TypeChain does not delete files of removed contracts, so generation starts with an empty folder.
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
  console.error("They were regenerated; commit them together with the contracts.");
  process.exit(1);
}
console.log(`${before.size} generated files match the contracts.`);
