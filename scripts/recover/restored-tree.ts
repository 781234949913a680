import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { PROOFS_DIRECTORY } from "../proofs/options.ts";
import { findFiles, type FoundFile, idOf, type Unreadable } from "../proofs/walk.ts";
import { readManifest } from "./manifest.ts";

/** A file that is to be compared. */
export interface RestoredFile {
  /** Absolute. */
  readonly path: string;
  /** The path relative to the tree, in POSIX form; the absolute one outside of it. */
  readonly file: string;
  readonly documentId: string;
}

/** What is in a restored tree, or should be. */
export interface RestoredTree {
  readonly files: readonly RestoredFile[];
  /** What could not be looked at. */
  readonly unreadable: readonly Unreadable[];
  /** Files that the manifest does not name. */
  readonly unlisted: readonly string[];
}

/** Where to look, and how documents are called. */
export interface TreeOptions {
  readonly directory: string;
  /** Path of a manifest; `undefined` when paths are the documents' ids. */
  readonly manifest: string | undefined;
  /** Put before each path to make the document's id. */
  readonly idPrefix: string;
  /** Folder of the reports. */
  readonly out: string;
}

/** Finds what there is to compare. What the scripts write themselves is no document. */
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
  // What the manifest names is told when it is to be read.
  return { files, unreadable: found.unreadable.filter(({ id }) => !wanted.has(id)), unlisted };
}
