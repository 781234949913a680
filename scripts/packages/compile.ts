import { cpSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { rolldown, type RolldownBuild } from "rolldown";
import { ROOT } from "../../server/kit/program-files.ts";

/**
 * Compiles modules, with the libraries as the lock file has them.
 * @param input Sources by their names in the package
 * @param external Libraries that are installed beside the package
 * @throws Error for an import that does not exist
 */
export function compile(input: Readonly<Record<string, string>>, external: readonly string[]): Promise<RolldownBuild> {
  return rolldown({
    cwd: ROOT,
    input: { ...input },
    platform: "node",
    external: external.map((name) => new RegExp(`^${name}(/|$)`)),
    onLog(_level, log) {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
    },
  });
}

/** Copies a file or folder, and makes the folders that it is in. */
export function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}
