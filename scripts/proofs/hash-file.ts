import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

const CHUNK = 256 * 1024;

/** Hash and size of a file. */
export interface HashedFile {
  /** SHA-256, lower-case hex. */
  readonly hash: string;
  readonly bytes: number;
}

/** Hashes a file of any size in chunks. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<HashedFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = createReadStream(path, { highWaterMark: CHUNK, ...(signal === undefined ? {} : { signal }) });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { hash: hash.digest("hex"), bytes };
}
