import { randomInt } from "node:crypto";
import { mixKey, SLICES } from "../../server/journal/index/key-sums.ts";
import { yieldToEventLoop } from "../../server/kit/event-loop.ts";
import type { EntryRange, Finding, KeyKind } from "./finding.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { storedRows } from "../../server/journal/entries/journal-rows.ts";
import { entriesOf } from "./row-chain.ts";
import { newestSequence } from "../../server/journal/entries/entry-log.ts";
import type { IndexedKey } from "../../server/journal/index/key-codec.ts";
import type { ProofEntry } from "../../server/journal/entries/codec.ts";
import { documentKey, keyOf, storedKeys } from "../../server/journal/index/proof-key.ts";
import { KeyCheck } from "../../server/journal/index/key-guard.ts";

const RANGE_LENGTH = 1024;
const WORD = 2 ** 32;

/** Serialized key sums, from which a later check continues. */
export interface KeptSums {
  readonly seeds: readonly [number, number];
  readonly count: number;
  readonly sums: readonly [number, number];
}

/**
 * Order-independent sums over pairs of a key and its entry, one per range of entries. Two sets of pairs can be compared
 * in any order and in little memory. Different sums mean different sets. Equal sums mean equal sets, except with a
 * probability of 2^-64 that cannot be raised without the seeds.
 */
export class KeySums {
  readonly seeds: readonly [number, number];
  readonly #first: number;
  /** By the number of their range. */
  readonly #sums = new Map<number, Int32Array>();
  /** Sum over the entries before the first range. */
  readonly #earlier = new Int32Array(3);

  /** @param first The first entry that has a range */
  constructor(first: number, seeds: readonly [number, number] = newSeeds()) {
    this.seeds = seeds;
    this.#first = first;
  }

  /** Adds a pair; entries before the first range are added to one common sum. */
  add(key: number, sequence: number): void {
    const [a, b] = this.seeds;
    const sums = this.#sumsOf(sequence);
    sums[0] = (sums[0] ?? 0) + 1;
    sums[1] = (sums[1] ?? 0) + mixKey(a, { key, sequence });
    sums[2] = (sums[2] ?? 0) + mixKey(b, { key, sequence });
  }

  #sumsOf(sequence: number): Int32Array {
    if (sequence < this.#first) return this.#earlier;
    const range = Math.floor((sequence - this.#first) / RANGE_LENGTH);
    let sums = this.#sums.get(range);
    if (sums === undefined) this.#sums.set(range, (sums = new Int32Array(3)));
    return sums;
  }

  /** Returns the ranges in which two sums differ, in order. */
  differences(other: KeySums): { first: number; last: number }[] {
    const ranges = [...new Set([...this.#sums.keys(), ...other.#sums.keys()])];
    return ranges
      .filter((range) => !isSame(this.#sums.get(range), other.#sums.get(range)))
      .sort((a, b) => a - b)
      .map((range) => this.#first + range * RANGE_LENGTH)
      .map((first) => ({ first, last: first + RANGE_LENGTH - 1 }));
  }

  /** Returns the sum over all pairs that were added. */
  total(): KeptSums {
    const [count = 0, first = 0, second = 0] = [this.#earlier, ...this.#sums.values()].reduce((total, each) =>
      total.map((value, index) => value + (each[index] ?? 0)),
    );
    return { seeds: this.seeds, count, sums: [first, second] };
  }

  /** Restores an earlier sum as that of the entries before the first range. */
  goOn({ count, sums }: KeptSums): void {
    this.#earlier.set([count, ...sums]);
  }

  /** Returns whether the sums over the entries before the first range are equal. */
  isSameEarlier(other: KeySums): boolean {
    return isSame(this.#earlier, other.#earlier);
  }
}

function isSame(one: Int32Array | undefined, other: Int32Array | undefined): boolean {
  return [0, 1, 2].every((index) => one?.[index] === other?.[index]);
}

function newSeeds(): readonly [number, number] {
  return [randomInt(WORD), randomInt(WORD)];
}

/** Maximum number of ranges whose keys are compared one by one; further ranges are only reported as different. */
const MOST_RANGES = 64;
const KEYS_A_PROOF = 3;

/** Returns the keys of a proof. */
export function keysOf({ documentId, hash }: ProofEntry, recorded: Uint8Array): [key: number, by: KeyKind][] {
  // Duplicate keys are stored once.
  return [
    ...new Map<number, KeyKind>([
      [keyOf(recorded), "recordHash"],
      [keyOf(hash), "hash"],
      [documentKey(documentId), "document"],
    ]),
  ];
}

/** The expected keys. */
interface KeyExpectation {
  /** Sums over the keys of the entries. */
  readonly sums: KeySums;
  /** The entries that were summed one by one. */
  readonly entries: EntryRange;
  /** Whether the sums include the keys of earlier entries. */
  readonly hasEarlier: boolean;
  readonly proofs: number;
}

/**
 * Compares the stored keys with the expected keys of the proofs: every expected key is stored, and no other.
 * @param onProgress Receives the number of keys read
 */
export async function checkKeys(
  database: Database,
  { sums, entries, hasEarlier, proofs }: KeyExpectation,
  report: (finding: Finding) => void,
  onProgress: (done: number) => void = () => undefined,
): Promise<void> {
  const { first, last } = entries;
  const stored = new KeySums(first, sums.seeds);
  const later: IndexedKey[] = [];
  let done = 0;
  for await (const some of storedKeys(database, KEYS_A_PROOF * proofs)) {
    for (const each of some) {
      if (each.sequence <= last) stored.add(each.key, each.sequence);
      else later.push(each);
    }
    onProgress((done += some.length));
    await yieldToEventLoop();
  }
  // Entries written during the check are not checked, but they must exist.
  const newest = await newestSequence(database);
  for (const { key, sequence } of later) if (sequence > newest) report({ kind: "key_stray", sequence, key });
  if (hasEarlier && !sums.isSameEarlier(stored))
    report({ kind: "keys_differ", entries: { first: Math.min(1, first - 1), last: first - 1 } });

  const differing = sums.differences(stored).map((range) => ({ ...range, last: Math.min(range.last, last) }));
  const named = differing.slice(0, MOST_RANGES);
  if (named.length > 0) await nameKeys(database, named, proofs, report);
  for (const range of differing.slice(MOST_RANGES)) report({ kind: "keys_differ", entries: range });
}

/**
 * Compares the keys of each slice of the index with the sums that were written with them.
 * @param onProgress Receives the number of slices
 */
export async function checkSums(
  database: Database,
  report: (finding: Finding) => void,
  onProgress: (done: number) => void,
): Promise<void> {
  const check = new KeyCheck(database);
  for (let slice = 0; slice < SLICES; slice += 1) {
    if (!(await check.isSliceWhole(slice))) report({ kind: "sums_differ", slice });
    onProgress(slice + 1);
    await yieldToEventLoop();
  }
}

/** Compares key by key. */
async function nameKeys(
  database: Database,
  ranges: readonly EntryRange[],
  proofs: number,
  report: (finding: Finding) => void,
): Promise<void> {
  const expected = new Map<number, Map<number, KeyKind>>();
  for (const { first, last } of ranges) {
    for await (const row of storedRows(database, first - 1, last)) {
      for (const entry of entriesOf(row)) {
        if (entry.kind === "proof" && entry.sequence >= first && entry.sequence <= last)
          expected.set(entry.sequence, new Map(keysOf(entry, recordHash(entry))));
      }
    }
  }
  const strays: IndexedKey[] = [];
  const isIn = (sequence: number): boolean => ranges.some(({ first, last }) => sequence >= first && sequence <= last);
  for await (const some of storedKeys(database, KEYS_A_PROOF * proofs)) {
    for (const { key, sequence } of some) {
      if (isIn(sequence) && expected.get(sequence)?.delete(key) !== true) strays.push({ key, sequence });
    }
  }
  for (const [sequence, left] of expected)
    for (const by of left.values()) report({ kind: "key_missing", sequence, by });
  for (const { key, sequence } of strays) report({ kind: "key_stray", sequence, key });
}
