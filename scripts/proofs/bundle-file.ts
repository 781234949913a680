import { readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { BundleRecord } from "../../client/index.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { hex } from "../../server/kit/bytes.ts";

const SUFFIX = ".bundle.json";
/** Folder for bundles of files outside the working directory. No relative path contains it. */
const OUTSIDE = "%outside";

/** The record of a bundle. */
type BundledRecord = z.output<typeof BundleRecord>["record"];

/** A stored bundle. */
export interface BundleFile {
  /** The exact text, which the signature covers. */
  readonly text: string;
  /** `undefined` if the text is not a bundle. */
  readonly record: BundledRecord | undefined;
}

/** Returns the path of a document's bundle. */
export function bundlePath(directory: string, id: string): string {
  // Windows does not allow the drive's colon in file names.
  const inside = /^(\/|[A-Za-z]:)/.test(id) ? `${OUTSIDE}/${id.replace(/^\/+/, "").replace(":", "")}` : id;
  return join(directory, `${inside}${SUFFIX}`);
}

/**
 * Reads a bundle.
 * @returns `undefined` if the file does not exist
 */
export async function readBundle(path: string): Promise<BundleFile | undefined> {
  try {
    const text = await readFile(path, "utf8");
    return { text, record: recordIn(text) };
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

function recordIn(text: string): BundledRecord | undefined {
  try {
    return BundleRecord.parse(JSON.parse(text)).record;
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
