import type { Artifact } from "hardhat/types/artifacts";

/**
 * How the code of a contract on chain agrees with the build.
 * - `same`: byte for byte
 * - `other_sources`: the same instructions, compiled from files that differ in comments, names or paths
 * - `different`: other instructions
 */
export type CodeMatch = "same" | "other_sources" | "different";

/** Digits of the length of the compiler's data at the end of the code. */
const LENGTH_DIGITS = 4;

/** Compares code on chain, `0x` hex, with that of the build. The values of immutable variables are left out. */
export function matchCode(
  onChain: string,
  { deployedBytecode, immutableReferences = {} }: Pick<Artifact, "deployedBytecode" | "immutableReferences">,
): CodeMatch {
  const immutables = Object.values(immutableReferences).flat();
  const withoutImmutables = (code: string): string =>
    immutables.reduce((text, { start, length }) => {
      const begin = 2 + 2 * start;
      return text.slice(0, begin) + "0".repeat(2 * length) + text.slice(begin + 2 * length);
    }, code);
  const found = withoutImmutables(onChain.toLowerCase());
  const built = withoutImmutables(deployedBytecode.toLowerCase());
  if (found === built) return "same";
  return withoutCompilerData(found) === withoutCompilerData(built) ? "other_sources" : "different";
}

/** Removes the CBOR data with the hash of the sources, whose length is in the last two bytes. */
function withoutCompilerData(code: string): string {
  const bytes = Number.parseInt(code.slice(-LENGTH_DIGITS), 16);
  return code.slice(0, Math.max(2, code.length - LENGTH_DIGITS - 2 * bytes));
}
