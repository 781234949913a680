import { randomInt } from "node:crypto";
import { mixKey } from "../../server/journal/index/key-sums.ts";

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
