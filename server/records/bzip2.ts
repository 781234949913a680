import type { Bzip2 } from "./compression.ts";
import { SealbookError } from "../errors.ts";
import { loadBzip2Library, OutOfMemoryError, type Bzip2Library } from "./bzip2-library.ts";

/** What libbzip2 returns. */
const OK = 0;
const OUTPUT_FULL = -8;
const FAULTS: ReadonlyMap<number, string> = new Map([
  [-4, "the data are corrupt"],
  [-5, "the data are not a bzip2 stream"],
  [-7, "the stream is cut short"],
]);

/** Room for the expansion of a small row; larger ones are tried again with more. */
const FIRST_CAPACITY = 64 * 1024;
const GROWTH = 8;

let library: Bzip2Library | undefined;

/** Runs one operation on the library. One that broke off inside may have left it in any state: it is replaced. */
function withLibrary<T>(operation: (library: Bzip2Library) => T): T {
  const used = library ?? loadBzip2Library();
  library = undefined;
  let isSound = false;
  try {
    const result = operation(used);
    isSound = true;
    return result;
  } catch (cause) {
    // Faults that the library itself told are no accident.
    isSound = cause instanceof SealbookError;
    throw cause;
  } finally {
    if (isSound && used.isAsSmallAsLoaded()) library = used;
  }
}

function compress(data: Uint8Array): Uint8Array {
  // The block size in units of 100 kB. A larger block than the data need only costs memory and time.
  const blockSize = Math.min(9, 1 + Math.floor(data.length / 100_000));
  // The bound that libbzip2 states for data that do not compress.
  const capacity = Math.ceil(data.length * 1.01) + 600;
  const { status, output } = withLibrary((bzip2) => bzip2.compress(data, blockSize, capacity));
  if (status !== OK) throw new SealbookError("internal", `bzip2 refused to compress (${status})`);
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
    // The library does not say where the stream ended. When it does not need the last byte, it ended before.
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
  if (message === undefined) return new SealbookError("internal", `bzip2 refused to decompress (${status})`);
  return new SealbookError("malformed", message);
}

/** bzip2 by libbzip2 1.0.8. Every call runs to its end before it returns, so that calls never meet. */
export const bzip2: Bzip2 = { compress, decompress };
