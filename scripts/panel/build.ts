import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, gzipSync } from "node:zlib";
import { SealbookError } from "../../server/errors.ts";
import { type DirectoryLock, lockDirectory } from "../../server/kit/directory-lock.ts";

const ROOT = join(import.meta.dirname, "../..");
const PANEL = join(ROOT, "panel");
const BUILT = join(PANEL, "dist");
/** Where it grows: beside the old one, and by its name none of what is looked for as a source. */
const FRESH = join(PANEL, ".fresh");
const STAMP = join(BUILT, "sources.sha256");
/** What the build reads. */
const SOURCES = [
  "panel/*.*",
  "panel/{src,public}/**/*.*",
  "client/*.ts",
  "server/readings/{air-quality,map}/*.ts",
  "verifier/*.mjs",
  "package.json",
];
const LOCK_INTERVAL_MILLISECONDS = 100;

/**
 * Builds the panel, unless what is there was built from the same sources. Processes that come together wait for the
 * one that builds.
 * @returns whether it had to be built
 */
export async function buildPanel(): Promise<boolean> {
  const digest = digestOfSources();
  if (await isBuilt(digest)) return false;
  const lock = await lockPanel();
  try {
    if (await isBuilt(digest)) return false;
    const { build } = await import("vite");
    await build({
      configFile: join(PANEL, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: FRESH, emptyOutDir: true },
    });
    await compress(join(FRESH, "assets"));
    await writeFile(join(FRESH, "sources.sha256"), digest);
    // Moved at once: a server that runs never gives half of it.
    await rm(BUILT, { recursive: true, force: true });
    await rename(FRESH, BUILT);
    return true;
  } finally {
    lock.release();
  }
}

/** Puts beside every file that gets smaller by it what the server gives to browsers that take gzip. */
async function compress(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const content = await readFile(join(directory, name));
    const compressed = gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
    if (compressed.length < content.length) await writeFile(join(directory, `${name}.gz`), compressed);
  }
}

// By content, not by time: a checkout or a copy makes every file new.
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

async function lockPanel(): Promise<DirectoryLock> {
  const place = join(PANEL, ".lock");
  await mkdir(place, { recursive: true });
  for (;;) {
    try {
      return lockDirectory(place, "build");
    } catch (error) {
      if (!(error instanceof SealbookError && error.code === "conflict")) throw error;
      await sleep(LOCK_INTERVAL_MILLISECONDS);
    }
  }
}
