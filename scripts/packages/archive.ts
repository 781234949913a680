import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../server/kit/program-files.ts";

/** A package that others install. */
export interface Package {
  readonly name: string;
  /** Writes the package into an empty folder. */
  readonly fill: (folder: string) => Promise<void>;
}

/**
 * Packs a package.
 * @param archives Folder of the archive
 * @returns the archive's path
 */
export async function packPackage({ name, fill }: Package, archives: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `sealbook-pack-${name}-`));
  try {
    await fill(folder);
    copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
    mkdirSync(archives, { recursive: true });
    const options = ["--loglevel=error", "--ignore-scripts", "--pack-destination", archives];
    return join(archives, execFileSync("npm", ["pack", folder, ...options], { encoding: "utf8" }).trim());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes a JSON file of a package. */
export function writeJson(path: string, content: unknown): void {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}
