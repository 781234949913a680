import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * The body of a row: the texts of its entries, separated by line feeds, which they never contain, as one frame of zstd.
 */

/** Maximum length of the texts of a row: no entry has a megabyte. */
const MOST_BYTES = 128 * 1024 * 1024;

/**
 * What most texts have in common: a single entry is half as long with it. It is part of the format: bodies cannot be
 * read with another one.
 */
const DICTIONARY = Buffer.from(
  '{"sequence":1,"kind":"confirmation","anchor":1,"hash":"00","size":0,"checkpoint":null,' +
    '"contract":"0x00","tx_hash":"00","block_number":1,"block_hash":"00","block_time":1700000000,' +
    '"validator":"0x00"}\n' +
    '{"sequence":1,"kind":"proof","document_id":"DOC-2026-00000001","hash":"00","timestamp":1700000000,"type":null,' +
    '"source":null,"metadata":null,"accepted_at":1700000000000,"anchor":1,"leaf":0}',
);

const OPTIONS = {
  dictionary: DICTIONARY,
  params: {
    [constants.ZSTD_c_compressionLevel]: 1,
    // The code of the row covers the body, and the digest its texts.
    [constants.ZSTD_c_checksumFlag]: 0,
    [constants.ZSTD_c_dictIDFlag]: 0,
  },
};

/** Compresses the texts of a row. */
export function packTexts(texts: readonly string[]): Uint8Array {
  return zstdCompressSync(texts.join("\n"), OPTIONS);
}

/** @throws RangeError when the body was changed */
export function unpackTexts(body: Uint8Array): string[] {
  try {
    return zstdDecompressSync(body, { dictionary: DICTIONARY, maxOutputLength: MOST_BYTES }).toString().split("\n");
  } catch (cause) {
    throw new RangeError("a row of the journal cannot be unpacked", { cause });
  }
}
