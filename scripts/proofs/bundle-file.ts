import { mkdir, readFile, rename, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { z } from "zod";
import { BundleRecord } from "../../client/index.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { hex } from "../../server/kit/bytes.ts";
import { fileText } from "../../verifier/verify.mjs";
import { namesIn } from "./files.ts";

const SUFFIX = ".bundle.json";
/** Folder for bundles of files outside the working directory. A folder of that name has one more percent sign. */
const OUTSIDE = "%outside";
/** Bytes of the longest name in most file systems, and of an earlier bundle's suffix. */
const LONGEST_NAME = 255;
const LONGEST_SUFFIX = ".bundle.999.json".length;

/** The record of a bundle. */
type BundledRecord = z.output<typeof BundleRecord>["record"];

/** A stored bundle. */
export interface BundleFile {
  /** The bytes, as the verifier reads them. */
  readonly content: Uint8Array;
  /** `undefined` if the text is not a bundle. */
  readonly record: BundledRecord | undefined;
}

/** Returns the path of a document's bundle. */
export function bundlePath(directory: string, id: string): string {
  // Windows does not allow the drive's colon in file names.
  const inside = /^(\/|[A-Za-z]:)/.test(id)
    ? `${OUTSIDE}/${id.replace(/^\/+/, "").replace(":", "")}`
    : id.replace(/^%+outside(?=\/|$)/, "%$&");
  return join(directory, `${inside}${SUFFIX}`);
}

/**
 * Prepares the folder of a bundle, before anything is sent that has no bundle otherwise.
 * @throws Error when the bundle cannot be written
 */
export async function prepareBundle(path: string): Promise<void> {
  const bytes = Buffer.byteLength(basename(path)) - SUFFIX.length;
  const longest = LONGEST_NAME - LONGEST_SUFFIX;
  if (bytes > longest)
    throw new Error(`has a name of ${bytes} bytes, and the name of its bundle has room for ${longest}; rename it`);
  await mkdir(dirname(path), { recursive: true });
}

/**
 * Finds the bundle of a document. A file system can return its name in another Unicode form than that of the id.
 * @returns its path; the canonical one when there is no bundle
 */
export async function findBundle(directory: string, id: string): Promise<string> {
  const path = bundlePath(directory, id);
  // Most names have one form only.
  if (/^[ -~]*$/.test(id) || (await exists(path))) return path;
  let found = directory;
  for (const name of relative(directory, path).split(sep)) {
    const same = (await namesIn(found)).get(name.normalize("NFC"));
    if (same === undefined) return path;
    found = join(found, same);
  }
  return found;
}

/**
 * Reads a bundle.
 * @returns `undefined` if the file does not exist
 */
export async function readBundle(path: string): Promise<BundleFile | undefined> {
  try {
    const content = await readFile(path);
    return { content, record: recordIn(content) };
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

function recordIn(content: Uint8Array): BundledRecord | undefined {
  try {
    return BundleRecord.parse(JSON.parse(fileText(content))).record;
  } catch {
    return undefined;
  }
}

/** Renames an existing bundle to the first free number: `<path>.bundle.1.json`, `.bundle.2.json` and so on. */
export async function keepOlderBundle(path: string): Promise<void> {
  for (let number = 1; ; number += 1) {
    const older = `${path.slice(0, -SUFFIX.length)}.bundle.${number}.json`;
    if (await exists(older)) continue;
    return rename(path, older);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => !isCode(error, "ENOENT"),
  );
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => error.code === code);
}

/** The parts of a recorded hash, as the server returns them. */
export interface HashedRecord {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: { readonly timestamp: number; readonly type?: string | undefined };
}

/** Computes the recorded hash as lower-case hex. */
export function recordHashOf({ document_id: documentId, hash, metadata: { timestamp, type } }: HashedRecord): string {
  return hex(recordHash({ documentId, timestamp, type, hash: Buffer.from(hash, "hex") }));
}
