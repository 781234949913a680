import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SealbookError } from "../../errors.ts";

const require = createRequire(import.meta.url);

/** The path of the Anvil program for this platform. */
export function anvilBinary(): string {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  try {
    const binary = join(dirname(require.resolve(`${name}/package.json`)), "bin", "anvil");
    if (existsSync(binary)) return binary;
  } catch {
    // Not installed: the error is thrown below.
  }
  throw new SealbookError(
    "anvil_missing",
    `The embedded chain needs the package ${name}, which is not installed (npm leaves it out with --omit=optional).`,
  );
}
