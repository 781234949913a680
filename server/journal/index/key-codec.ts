/**
 * Storage format of merged keys. A row contains the keys of one bucket and one epoch: keys with the same first bits, of
 * consecutive entries of the journal. The parts common to the row are not repeated: each key is stored as its last 16
 * bits, the tag, and each entry's sequence number as its last 24 bits. A key takes five bytes instead of fifteen in a
 * row of its own.
 */

export const TAG_BITS = 16;
export const EPOCH_BITS = 24;
const TAG_BYTES = TAG_BITS / 8;
const NUMBER_BYTES = EPOCH_BITS / 8;

/** Bytes of a key in a row. */
export const KEY_ENTRY_BYTES = TAG_BYTES + NUMBER_BYTES;

/** Returns the tag: the part of a key that is not in its bucket. */
export function tagOf(key: number): Uint8Array {
  const tag = Buffer.allocUnsafe(TAG_BYTES);
  tag.writeUInt16BE(key % 2 ** TAG_BITS);
  return tag;
}

/** Returns the sequence numbers that a row stores for a tag, in the order of insertion, within a range. */
export function numbersUnder(
  tag: Uint8Array,
  epoch: number,
  entries: Uint8Array,
  from = -Infinity,
  to = Infinity,
): number[] {
  const [first, second] = tag;
  const found: number[] = [];
  // A document can have very many keys in one row: without a call for each of them.
  for (let at = 0; at + KEY_ENTRY_BYTES <= entries.length; at += KEY_ENTRY_BYTES) {
    if (entries[at] !== first || entries[at + 1] !== second) continue;
    const [high = 0, middle = 0, low = 0] = [entries[at + 2], entries[at + 3], entries[at + 4]];
    const number = epoch * 2 ** EPOCH_BITS + high * 2 ** 16 + middle * 2 ** 8 + low;
    if (number >= from && number <= to) found.push(number);
  }
  return found;
}

/** A key and the sequence number of its entry. */
export interface IndexedKey {
  readonly key: number;
  readonly sequence: number;
}

/** A row of merged keys. */
export interface KeyRow {
  readonly bucket: number;
  readonly epoch: number;
  readonly entries: Uint8Array;
}

/** Encodes keys as rows, in the order of the keys. */
export function rowsOf(keys: readonly IndexedKey[]): KeyRow[] {
  const sorted = keys.toSorted((a, b) => a.key - b.key || a.sequence - b.sequence);
  return [...Map.groupBy(sorted, ({ key }) => Math.floor(key / 2 ** TAG_BITS))].flatMap(([bucket, inBucket]) =>
    [...Map.groupBy(inBucket, ({ sequence }) => Math.floor(sequence / 2 ** EPOCH_BITS))].map(([epoch, some]) => {
      const entries = Buffer.alloc(some.length * KEY_ENTRY_BYTES);
      for (const [index, { key, sequence }] of some.entries()) {
        entries.writeUInt16BE(key % 2 ** TAG_BITS, index * KEY_ENTRY_BYTES);
        entries.writeUIntBE(sequence % 2 ** EPOCH_BITS, index * KEY_ENTRY_BYTES + TAG_BYTES, NUMBER_BYTES);
      }
      return { bucket, epoch, entries };
    }),
  );
}

/** Decodes all keys of a row. Trailing bytes that are not a whole key count as one key of the epoch's first entry. */
export function entriesOf(bucket: number, epoch: number, entries: Uint8Array): IndexedKey[] {
  const packed = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength);
  const found: IndexedKey[] = [];
  for (let at = 0; at < packed.length; at += KEY_ENTRY_BYTES) {
    const isWhole = at + KEY_ENTRY_BYTES <= packed.length;
    found.push({
      key: bucket * 2 ** TAG_BITS + (isWhole ? packed.readUIntBE(at, TAG_BYTES) : 0),
      sequence: epoch * 2 ** EPOCH_BITS + (isWhole ? packed.readUIntBE(at + TAG_BYTES, NUMBER_BYTES) : 0),
    });
  }
  return found;
}
