import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { ROOT } from "../../server/kit/program-files.ts";
import { waitForDirectory } from "../../server/kit/directory-lock.ts";
import { OFFLINE_PAGE, offlinePage } from "./offline-page.ts";

const PANEL = join(ROOT, "panel");
const BUILT = join(PANEL, "dist");
/** Temporary output directory; its name does not match the source patterns. */
const FRESH = join(PANEL, ".fresh");
const STAMP = join(BUILT, "sources.sha256");
/** Sources of the build. */
const SOURCES = [
  "panel/*.*",
  "panel/{src,public}/**/*.*",
  "client/*.ts",
  "air-quality/{*,map/*}.ts",
  "verifier/*.mjs",
  "package.json",
];

/**
 * Builds the panel unless it is up to date. Concurrent processes wait for the building one.
 * @returns Whether this call built it
 */
export async function buildPanel(): Promise<boolean> {
  const digest = digestOfSources();
  if (await isBuilt(digest)) return false;
  const lock = await waitForDirectory(join(PANEL, ".lock"), "build");
  try {
    if (await isBuilt(digest)) return false;
    const { build } = await import("vite");
    await build({
      configFile: join(PANEL, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: FRESH, emptyOutDir: true },
    });
    await writeFile(join(FRESH, OFFLINE_PAGE), await offlinePage(PANEL));
    await compress(join(FRESH, "assets"));
    await writeFile(join(FRESH, "sources.sha256"), digest);
    // Replaced by a rename, so that a running server never serves a partial build.
    await rm(BUILT, { recursive: true, force: true });
    await rename(FRESH, BUILT);
    return true;
  } finally {
    lock.release();
  }
}

/** Adds a gzip version of every file that compression makes smaller. */
async function compress(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const content = await readFile(join(directory, name));
    const compressed = gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
    if (compressed.length < content.length) await writeFile(join(directory, `${name}.gz`), compressed);
  }
}

// By content, because checkouts and copies change modification times.
function digestOfSources(): string {
  const digest = createHash("sha256");
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    digest
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update("\0");
  }
  return digest.digest("hex");
}

async function isBuilt(digest: string): Promise<boolean> {
  return digest === (await readFile(STAMP, "utf8").catch(() => undefined));
}
