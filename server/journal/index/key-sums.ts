import { type QueryExecutorProvider, sql } from "kysely";
import { EPOCH_BITS, type IndexedKey } from "./key-codec.ts";
import { KEY_RANGE } from "./proof-key.ts";

/**
 * Sums over the keys of the proof index, by which a look-up that finds too little differs from one of a hash without a
 * record. The index has 2^16 pages. One row has the sums of the pages of a slice, for the merged keys of one epoch; one
 * more row has the sums of the slices for recent keys. They are written together with the keys, and a page is small: to
 * check it has a bound that does not grow with the journal.
 */

/** Slices of the index, which are merged one at a time. */
export const SLICES = 256;
export const SLICE_SIZE = KEY_RANGE / SLICES;
/** Pages of a slice. */
export const PAGES = 256;
export const PAGE_SIZE = SLICE_SIZE / PAGES;
const WORD = 2 ** 32;
/** The row with the sums of recent keys. */
export const RECENT = { slice: -1, epoch: 0 };

/** Hashes a key and its entry to 32 bits. */
export function mixKey(seed: number, { key, sequence }: IndexedKey): number {
  let h = seed | 0;
  h = step(h, key | 0);
  h = step(h, (key / WORD) | 0);
  h = step(h, sequence | 0);
  h = step(h, (sequence / WORD) | 0);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function step(h: number, word: number): number {
  const k = Math.imul(word, 0xcc9e2d51);
  const mixed = h ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

/** Order-independent sums over keys, of 64 bits each. */
export class KeySums {
  readonly #words: Int32Array;

  constructor(stored?: Uint8Array, count: number = PAGES) {
    this.#words = new Int32Array(2 * count);
    if (stored === undefined) return;
    const bytes = Buffer.from(stored);
    for (let at = 0; at < this.#words.length && 4 * at + 4 <= bytes.length; at += 1)
      this.#words[at] = bytes.readInt32LE(4 * at);
  }

  /** @param sign -1 takes the key away */
  add(at: number, key: IndexedKey, sign: 1 | -1 = 1): void {
    for (const seed of [0, 1])
      this.#words[2 * at + seed] = (this.#words[2 * at + seed] ?? 0) + sign * mixKey(seed, key);
  }

  clear(at: number): void {
    this.#words.fill(0, 2 * at, 2 * at + 2);
  }

  /** @param otherAt Defaults to the same position */
  isSame(other: KeySums, at: number, otherAt = at): boolean {
    return [0, 1].every((seed) => this.#words[2 * at + seed] === other.#words[2 * otherAt + seed]);
  }

  get bytes(): Uint8Array {
    const bytes = Buffer.alloc(4 * this.#words.length);
    this.#words.forEach((word, at) => bytes.writeInt32LE(word, 4 * at));
    return bytes;
  }
}

/** Returns the slice of a key. */
export function sliceOf(key: number): number {
  return Math.floor(key / SLICE_SIZE);
}

function pageOf(key: number): number {
  return Math.floor((key % SLICE_SIZE) / PAGE_SIZE);
}

/** Adds recent keys to their sums; inside the transaction that inserts them. */
export async function sumRecentKeys(
  transaction: QueryExecutorProvider,
  keys: readonly IndexedKey[],
  sign: 1 | -1 = 1,
): Promise<void> {
  if (keys.length === 0) return;
  const sums = new KeySums(await storedSums(transaction, RECENT), SLICES);
  for (const key of keys) sums.add(sliceOf(key.key), key, sign);
  await write(transaction, RECENT, sums);
}

/** Moves keys of a slice from the sums of recent keys to those of merged ones; inside the transaction that merges. */
export async function sumMergedKeys(
  transaction: QueryExecutorProvider,
  slice: number,
  keys: readonly IndexedKey[],
): Promise<void> {
  await sumRecentKeys(transaction, keys, -1);
  await addMerged(transaction, slice, keys);
}

/** Writes the sums of a slice whose keys are replaced, all of them merged; inside the transaction that does so. */
export async function replaceSums(
  transaction: QueryExecutorProvider,
  slice: number,
  keys: readonly IndexedKey[],
): Promise<void> {
  const recent = new KeySums(await storedSums(transaction, RECENT), SLICES);
  recent.clear(slice);
  await write(transaction, RECENT, recent);
  await sql`delete from proof_key_sums where slice = ${slice}`.execute(transaction);
  await addMerged(transaction, slice, keys);
}

async function addMerged(
  transaction: QueryExecutorProvider,
  slice: number,
  keys: readonly IndexedKey[],
): Promise<void> {
  for (const [epoch, some] of Map.groupBy(keys, ({ sequence }) => epochOf(sequence))) {
    const sums = new KeySums(await storedSums(transaction, { slice, epoch }));
    for (const key of some) sums.add(pageOf(key.key), key);
    await write(transaction, { slice, epoch }, sums);
  }
}

async function storedSums(
  transaction: QueryExecutorProvider,
  { slice, epoch }: { readonly slice: number; readonly epoch: number },
): Promise<Uint8Array | undefined> {
  const { rows } = await sql<{ sums: Uint8Array }>`
    select sums from proof_key_sums where slice = ${slice} and epoch = ${epoch}`.execute(transaction);
  return rows[0]?.sums;
}

async function write(
  transaction: QueryExecutorProvider,
  { slice, epoch }: { readonly slice: number; readonly epoch: number },
  { bytes }: KeySums,
): Promise<void> {
  await sql`
    insert into proof_key_sums (slice, epoch, sums) values (${slice}, ${epoch}, ${bytes})
    on conflict (slice, epoch) do update set sums = excluded.sums`.execute(transaction);
}

function epochOf(sequence: number): number {
  return Math.floor(sequence / 2 ** EPOCH_BITS);
}
