import { malformed, SealbookError } from "../errors.ts";

/** The most bytes that a compressed row may expand to. Rows are a few kilobytes; this bounds hostile ones. */
export const MAX_ROW_BYTES = 8 * 1024 * 1024;

/** The bzip2 codec, as the domain needs it. */
export interface Bzip2 {
  /** Compresses to one stream. The same data always give the same stream. */
  compress(data: Uint8Array): Uint8Array;
  /**
   * Expands one whole stream.
   *
   * @throws SealbookError `malformed` when the data are anything but one whole stream, and when they expand to more
   * than `maximum` bytes; the message says which
   */
  decompress(data: Uint8Array, maximum: number): Uint8Array;
}

/** Row data as they are stored and signed. */
export interface StoredRowData {
  readonly rowdata: Uint8Array;
  /** Whether `rowdata` is compressed. */
  readonly comp: boolean;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Compresses row data when that makes them smaller. */
export function packRowData(text: string, bzip2: Bzip2): StoredRowData {
  const plain = Buffer.from(text, "utf8");
  const compressed = bzip2.compress(plain);
  return compressed.length < plain.length ? { rowdata: compressed, comp: true } : { rowdata: plain, comp: false };
}

/**
 * The text of stored row data.
 *
 * @throws SealbookError `malformed` at `rowdata` for bad bzip2 and bad UTF-8
 */
export function unpackRowData(stored: StoredRowData, bzip2: Bzip2): string {
  const plain = stored.comp ? expand(stored.rowdata, bzip2) : stored.rowdata;
  try {
    return utf8.decode(plain);
  } catch (cause) {
    throw malformed("rowdata", "is not UTF-8 text", cause);
  }
}

function expand(rowdata: Uint8Array, bzip2: Bzip2): Uint8Array {
  try {
    return bzip2.decompress(rowdata, MAX_ROW_BYTES);
  } catch (cause) {
    if (cause instanceof SealbookError && cause.code === "malformed") {
      throw malformed("rowdata", `bad bzip2: ${cause.message}`, cause);
    }
    throw cause;
  }
}
