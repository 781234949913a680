import { malformed, SealbookError } from "../errors.ts";
import { utf8Text } from "../kit/bytes.ts";

/**
 * Maximum size of a row in bytes, before compression. A call of 64 KiB with an ordinary payload fits; two kilobytes of
 * compressed data could expand to many megabytes without it.
 */
export const MAX_ROW_BYTES = 128 * 1024;

/** The same for somebody who decodes on a machine of their own: rows of other systems can be larger. */
export const MAX_ROW_BYTES_OFFLINE = 8 * 1024 * 1024;

/** A bzip2 codec. */
export interface Bzip2 {
  /** Compresses to one stream, deterministically. */
  compress(data: Uint8Array): Uint8Array;
  /**
   * Decompresses one complete stream.
   *
   * @throws SealbookError `malformed` if the data are not exactly one complete stream, or expand to more than
   * `maximum` bytes
   */
  decompress(data: Uint8Array, maximum: number): Uint8Array;
}

/** Row data in the form in which they are stored and signed. */
export interface StoredRowData {
  readonly rowdata: Uint8Array;
  /** Whether `rowdata` is compressed. */
  readonly comp: boolean;
}

/**
 * Compresses row data if that makes them smaller.
 *
 * @throws SealbookError `too_large` for a row that could not be decoded again
 */
export function packRowData(text: string, bzip2: Bzip2): StoredRowData {
  const plain = Buffer.from(text, "utf8");
  if (plain.length > MAX_ROW_BYTES) {
    throw new SealbookError("too_large", `the row has ${plain.length} bytes, at most ${MAX_ROW_BYTES} are possible`);
  }
  const compressed = bzip2.compress(plain);
  return compressed.length < plain.length ? { rowdata: compressed, comp: true } : { rowdata: plain, comp: false };
}

/**
 * Decompresses and decodes stored row data.
 *
 * @throws SealbookError `malformed` at `rowdata` for invalid bzip2 or UTF-8
 */
export function unpackRowData(stored: StoredRowData, bzip2: Bzip2, maximum = MAX_ROW_BYTES): string {
  const plain = stored.comp ? expand(stored.rowdata, bzip2, maximum) : stored.rowdata;
  if (plain.length > maximum) throw malformed("rowdata", `is longer than ${maximum} bytes`);
  return utf8Text("rowdata", plain);
}

function expand(rowdata: Uint8Array, bzip2: Bzip2, maximum: number): Uint8Array {
  try {
    return bzip2.decompress(rowdata, maximum);
  } catch (cause) {
    if (cause instanceof SealbookError && cause.code === "malformed") {
      throw malformed("rowdata", `bad bzip2: ${cause.message}`, cause);
    }
    throw cause;
  }
}
