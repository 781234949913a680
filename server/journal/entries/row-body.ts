import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Storage format of the entries of a row: their texts, in frames of zstd, so that one of them is read without the
 * others. A frame begins with its length, four bytes in big-endian order; its texts are separated by line feeds, which
 * they never contain.
 */

/** Entries in a frame. */
const ENTRIES_PER_FRAME = 100;
const LENGTH_BYTES = 4;
/** Maximum length of the texts of a frame: no entry has a megabyte. */
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

/** Packs the texts of a row. */
export function packTexts(texts: readonly string[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let first = 0; first < texts.length; first += ENTRIES_PER_FRAME) {
    const frame = zstdCompressSync(texts.slice(first, first + ENTRIES_PER_FRAME).join("\n"), OPTIONS);
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32BE(frame.length);
    parts.push(length, frame);
  }
  return Buffer.concat(parts);
}

/** The texts of a row, each frame unpacked when it is needed. */
export class PackedTexts {
  readonly #frames: readonly Uint8Array[];
  readonly #unpacked = new Map<number, readonly string[]>();

  /** @throws RangeError when the body was changed */
  constructor(body: Uint8Array) {
    this.#frames = framesOf(body);
  }

  /** @throws RangeError when the body was changed */
  all(): string[] {
    return this.#frames.flatMap((_, index) => this.#frame(index));
  }

  /**
   * @returns `undefined` when there are fewer texts
   * @throws RangeError when the body was changed
   */
  at(index: number): string | undefined {
    return this.#frame(Math.floor(index / ENTRIES_PER_FRAME))[index % ENTRIES_PER_FRAME];
  }

  #frame(index: number): readonly string[] {
    const frame = this.#frames[index];
    const texts = this.#unpacked.get(index) ?? (frame === undefined ? [] : unpackFrame(frame));
    this.#unpacked.set(index, texts);
    return texts;
  }
}

function framesOf(body: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + LENGTH_BYTES <= bytes.length ? at + LENGTH_BYTES + bytes.readUInt32BE(at) : Infinity;
    if (end > bytes.length) throw new RangeError("a row of the journal is cut off");
    frames.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return frames;
}

function unpackFrame(frame: Uint8Array): string[] {
  try {
    return zstdDecompressSync(frame, { dictionary: DICTIONARY, maxOutputLength: MOST_BYTES }).toString().split("\n");
  } catch (cause) {
    throw new RangeError("a row of the journal cannot be unpacked", { cause });
  }
}
