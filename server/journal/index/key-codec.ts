/**
 * How settled keys are stored. A row holds those of one bucket and one epoch: keys that begin alike, of entries of the
 * journal that follow one another. What is the same for the whole row is not repeated; of each key the last 16 bits are
 * left, its tag, and of the entry's number the last 24. Packed so, a key takes five bytes instead of the fifteen of a
 * row of its own.
 */

export const TAG_BITS = 16;
export const EPOCH_BITS = 24;
const TAG_BYTES = TAG_BITS / 8;
const NUMBER_BYTES = EPOCH_BITS / 8;

/** Bytes of a key in a row. */
export const KEY_ENTRY_BYTES = TAG_BYTES + NUMBER_BYTES;

/** What of a key its bucket does not say. */
export function tagOf(key: number): Uint8Array {
  const tag = Buffer.allocUnsafe(TAG_BYTES);
  tag.writeUInt16BE(key % 2 ** TAG_BITS);
  return tag;
}

/** The numbers of the journal's entries that a row has for a tag, in the order in which they came. */
export function numbersUnder(tag: Uint8Array, epoch: number, entries: Uint8Array): number[] {
  const packed = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength);
  const found: number[] = [];
  for (let at = packed.indexOf(tag); at >= 0; at = packed.indexOf(tag, at + 1)) {
    // A tag also turns up across the bounds of what is packed.
    if (at % KEY_ENTRY_BYTES === 0)
      found.push(epoch * 2 ** EPOCH_BITS + packed.readUIntBE(at + TAG_BYTES, NUMBER_BYTES));
  }
  return found;
}

/** A key and the number of the entry that it leads to. */
export interface IndexedKey {
  readonly key: number;
  readonly sequence: number;
}

/** All that a row holds. Bytes at its end that are no whole key count as one that leads to the epoch's first entry. */
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
