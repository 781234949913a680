import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { PROOFS_DIRECTORY } from "../proofs/options.ts";
import { findFiles, type FoundFile, idOf, type Unreadable } from "../proofs/walk.ts";
import { readManifest } from "./manifest.ts";

/** A file to compare. */
export interface RestoredFile {
  /** Absolute. */
  readonly path: string;
  /** The POSIX path relative to the tree, or the absolute path outside of it. */
  readonly file: string;
  readonly documentId: string;
}

/** The existing and listed files of a restored tree. */
export interface RestoredTree {
  readonly files: readonly RestoredFile[];
  /** Unreadable files and folders. */
  readonly unreadable: readonly Unreadable[];
  /** Files that the manifest does not list. */
  readonly unlisted: readonly string[];
}

/** Location of the files and source of the document ids. */
export interface TreeOptions {
  readonly directory: string;
  /** Path of a manifest; `undefined` if paths are the document ids. */
  readonly manifest: string | undefined;
  /** Prefix of the document ids, before the path. */
  readonly idPrefix: string;
  /** Folder of the reports. */
  readonly out: string;
}

/** Finds the files to compare. Skips the scripts' own output. */
export async function restoredTree({ directory, manifest, idPrefix, out }: TreeOptions): Promise<RestoredTree> {
  const found = await findFiles(["."], directory, out, resolve(directory, PROOFS_DIRECTORY));
  if (manifest === undefined) {
    return {
      ...found,
      files: found.files.map(({ path, id }) => ({ path, file: id, documentId: `${idPrefix}${id}` })),
      unlisted: [],
    };
  }
  const files = (await readManifest(manifest)).map(({ documentId, path }): RestoredFile => {
    const absolute = resolve(directory, path);
    return { path: absolute, file: idOf(absolute, directory), documentId };
  });
  const listed = new Set(files.map(({ path }) => path));
  const self = await realpath(manifest);
  const isUnlisted = async ({ path }: FoundFile): Promise<boolean> =>
    !listed.has(path) && (await realpath(path)) !== self;
  const unlisted: string[] = [];
  for (const one of found.files) if (await isUnlisted(one)) unlisted.push(one.id);
  const wanted = new Set(files.map(({ file }) => file));
  // Unreadable files of the manifest are reported when they are hashed.
  return { files, unreadable: found.unreadable.filter(({ id }) => !wanted.has(id)), unlisted };
}
