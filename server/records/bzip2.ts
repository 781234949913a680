import type { Bzip2 } from "./compression.ts";
import { SealbookError } from "../errors.ts";
import { loadBzip2Library, OutOfMemoryError, type Bzip2Library } from "./bzip2-library.ts";

/** Return values of libbzip2. */
const OK = 0;
const OUTPUT_FULL = -8;
const FAULTS: ReadonlyMap<number, string> = new Map([
  [-4, "the data are corrupt"],
  [-5, "the data are not a bzip2 stream"],
  [-7, "the stream is truncated"],
]);

/** Output buffer for a small row; larger rows are retried with a larger buffer. */
const FIRST_CAPACITY = 64 * 1024;
const GROWTH = 8;

let library: Bzip2Library | undefined;

/** Runs one operation on the library. Discards the instance after an unexpected failure, which can corrupt it. */
function withLibrary<T>(operation: (library: Bzip2Library) => T): T {
  try {
    return operation((library ??= loadBzip2Library()));
  } catch (cause) {
    // Errors reported by the library leave it intact.
    if (!(cause instanceof SealbookError)) library = undefined;
    throw cause;
  }
}

function compress(data: Uint8Array): Uint8Array {
  // In units of 100 kB. A block larger than the data wastes memory and time.
  const blockSize = Math.min(9, 1 + Math.floor(data.length / 100_000));
  // libbzip2's documented bound for incompressible data.
  const capacity = Math.ceil(data.length * 1.01) + 600;
  const { status, output } = withLibrary((bzip2) => bzip2.compress(data, blockSize, capacity));
  if (status !== OK) throw new SealbookError("internal", `bzip2 compression failed with status ${status}`);
  return output;
}

function decompress(data: Uint8Array, maximum: number): Uint8Array {
  try {
    return withLibrary((bzip2) => expand(bzip2, data, maximum));
  } catch (cause) {
    if (cause instanceof SealbookError) throw cause;
    if (cause instanceof OutOfMemoryError) throw tooLong(maximum, cause);
    throw new SealbookError("malformed", "the data are corrupt", { cause });
  }
}

function expand(bzip2: Bzip2Library, data: Uint8Array, maximum: number): Uint8Array {
  let capacity = Math.min(FIRST_CAPACITY, maximum);
  for (;;) {
    const { status, output } = bzip2.decompress(data, capacity);
    if (status === OUTPUT_FULL) {
      if (capacity === maximum) throw tooLong(maximum);
      capacity = Math.min(capacity * GROWTH, maximum);
      continue;
    }
    if (status !== OK) throw fault(status);
    // The library does not return the end of the stream. If it does not need the last byte, the stream ends earlier.
    if (bzip2.decompress(data.subarray(0, -1), output.length + 1).status === OK) {
      throw new SealbookError("malformed", "there are bytes after the end of the stream");
    }
    return output;
  }
}

function tooLong(maximum: number, cause?: unknown): SealbookError {
  return new SealbookError("malformed", `the stream expands to more than ${maximum} bytes`, { cause });
}

function fault(status: number): SealbookError {
  const message = FAULTS.get(status);
  if (message === undefined) return new SealbookError("internal", `bzip2 decompression failed with status ${status}`);
  return new SealbookError("malformed", message);
}

/** libbzip2 1.0.8. Calls are synchronous and therefore never overlap. */
export const bzip2: Bzip2 = { compress, decompress };
