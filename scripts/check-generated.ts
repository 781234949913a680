/**
 * Recompiles the contracts and fails if the generated `typechain-types/` differ from the committed ones. The files are
 * generated in a temporary folder: a running server reads the committed ones. Different ones replace them.
 */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ROOT } from "../server/kit/program-files.ts";
import { runHardhat } from "./hardhat.ts";

const FOLDER = "typechain-types";

/** Reads the files of a folder, by their paths in it. */
function readFolder(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [relative(folder, file), readFileSync(file, "utf8")]));
}

function difference(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((name) => {
    const file = join(FOLDER, name);
    if (!after.has(name)) return [`${file} is no longer generated`];
    if (!before.has(name)) return [`${file} was missing`];
    return before.get(name) === after.get(name) ? [] : [`${file} differs`];
  });
}

/** @returns the exit code */
function check(generated: string): number {
  process.env["TYPECHAIN_TYPES"] = generated;
  if (!runHardhat("compile", "--force", "--no-tests").ok) {
    console.error("The contracts do not compile.");
    return 1;
  }
  const committed = join(ROOT, FOLDER);
  const after = readFolder(generated);
  const different = difference(readFolder(committed), after);
  if (different.length === 0) {
    console.log(`${after.size} generated files match the contracts.`);
    return 0;
  }
  rmSync(committed, { recursive: true });
  cpSync(generated, committed, { recursive: true });
  console.error(`The generated files did not match the contracts:\n  ${different.join("\n  ")}`);
  console.error("They were regenerated; commit them together with the contracts.");
  return 1;
}

const generated = mkdtempSync(join(tmpdir(), "sealbook-generated-"));
try {
  process.exitCode = check(generated);
} finally {
  rmSync(generated, { recursive: true });
}
