import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of package.json: of the repository, or of the installed package, whose files have the same places. */
export const ROOT = folderWithManifest(import.meta.dirname);

/** Whether this is the installed package: what the repository builds is in it, and no tool that builds. */
export const IS_PACKAGE = !existsSync(join(ROOT, "hardhat.config.ts"));

/** Returns the version of Sealbook. */
export function packageVersion(): string {
  const content: unknown = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const version = typeof content === "object" && content !== null && "version" in content ? content.version : undefined;
  return typeof version === "string" ? version : "unknown";
}

/** Files of libraries that are read at run time. The package has copies of them, without the rest of the libraries. */
export const LIBRARY_FILES = [
  "bzip2-wasm/bzip2-1.0.8/bzip2.wasm",
  "dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf",
  "world-atlas/countries-10m.json",
  "world-atlas/countries-110m.json",
  "world-atlas/countries-50m.json",
] as const;

/** A file of a library, as `PACKAGE/PATH`. */
export type LibraryFile = (typeof LIBRARY_FILES)[number];

/** The folder of the copies in the package. */
export const COPIED_LIBRARIES = "libraries";

/** Returns the path of a library's file. */
export function libraryFile(name: LibraryFile): string {
  return IS_PACKAGE ? join(ROOT, COPIED_LIBRARIES, name) : createRequire(import.meta.url).resolve(name);
}

/**
 * Returns the address of the module of a worker thread: TypeScript in the repository, JavaScript in the package.
 * @param path Path from `ROOT` without an extension, ending in `-worker`
 */
export function workerModule(path: `${string}/${string}-worker`): URL {
  return pathToFileURL(join(ROOT, `${path}${extname(import.meta.filename)}`));
}

function folderWithManifest(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : folderWithManifest(dirname(folder));
}
