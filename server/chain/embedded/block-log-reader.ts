import type { FileHandle } from "node:fs/promises";
import {
  decodeFrame,
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  MAX_PAYLOAD_BYTES,
  payloadLength,
  type BlockEntry,
} from "./block-entry.ts";

const CHUNK_BYTES = 1024 * 1024;

/** An entry and its size in the file, in bytes. */
export interface Frame {
  readonly entry: BlockEntry;
  readonly start: number;
  readonly end: number;
}

/** Reads entries in sequence up to the end or the first damaged one. */
export async function* readFrames(handle: FileHandle, from: number, size: number): AsyncGenerator<Frame, void, void> {
  let chunk: Buffer = Buffer.alloc(0);
  let chunkStart = from;
  const bytes = async (start: number, length: number): Promise<Buffer> => {
    if (start + length > chunkStart + chunk.length) {
      chunk = await readAt(handle, start, Math.min(Math.max(length, CHUNK_BYTES), size - start));
      chunkStart = start;
    }
    return chunk.subarray(start - chunkStart, start - chunkStart + length);
  };
  for (let start = from; start + FRAME_HEADER_BYTES <= size;) {
    const length = payloadLength(await bytes(start, FRAME_HEADER_BYTES));
    if (length === null || start + FRAME_HEADER_BYTES + length > size) return;
    const end = start + FRAME_HEADER_BYTES + length;
    const entry = decodeFrame(await bytes(start, end - start));
    if (entry === null) return;
    yield { entry, start, end };
    start = end;
  }
}

/**
 * Whether an entry follows the damaged one at `start`. An unfinished write can only be the last one, so a following
 * entry means that the file was damaged in another way and must not be truncated.
 */
export async function entryFollows(handle: FileHandle, start: number, size: number): Promise<boolean> {
  const rest = size - start;
  if (rest > FRAME_HEADER_BYTES + MAX_PAYLOAD_BYTES) return true;
  const tail = await readAt(handle, start, rest);
  const length = payloadLength(tail);
  if (length !== null) return FRAME_HEADER_BYTES + length < rest;
  // The header itself did not reach the disk: search for a whole entry after it.
  for (let at = tail.indexOf(FRAME_MAGIC, 1); at !== -1; at = tail.indexOf(FRAME_MAGIC, at + 1)) {
    const next = payloadLength(tail.subarray(at));
    const end = at + FRAME_HEADER_BYTES + (next ?? 0);
    if (next !== null && end <= tail.length && decodeFrame(tail.subarray(at, end)) !== null) return true;
  }
  return false;
}

async function readAt(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
