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
  readonly #sums: Int32Array;
  /** Sum over the entries before the first range. */
  readonly #earlier = new Int32Array(3);

  /**
   * @param first The first entry that has a range
   * @param last The last one
   */
  constructor(first: number, last: number, seeds: readonly [number, number] = newSeeds()) {
    this.seeds = seeds;
    this.#first = first;
    this.#sums = new Int32Array(3 * Math.max(0, Math.ceil((last - first + 1) / RANGE_LENGTH)));
  }

  /** Adds a pair; entries before the first range are added to one common sum. */
  add(key: number, sequence: number): void {
    const [a, b] = this.seeds;
    const isEarlier = sequence < this.#first;
    const sums = isEarlier ? this.#earlier : this.#sums;
    const at = isEarlier ? 0 : 3 * Math.floor((sequence - this.#first) / RANGE_LENGTH);
    sums[at] = (sums[at] ?? 0) + 1;
    sums[at + 1] = (sums[at + 1] ?? 0) + mixKey(a, { key, sequence });
    sums[at + 2] = (sums[at + 2] ?? 0) + mixKey(b, { key, sequence });
  }

  /** Returns the ranges in which two sums differ, in order. */
  differences(other: KeySums): { first: number; last: number }[] {
    const found: { first: number; last: number }[] = [];
    for (let at = 0; at < this.#sums.length; at += 3) {
      if ([0, 1, 2].every((n) => this.#sums[at + n] === other.#sums[at + n])) continue;
      const first = this.#first + (at / 3) * RANGE_LENGTH;
      found.push({ first, last: first + RANGE_LENGTH - 1 });
    }
    return found;
  }

  /**
   * Returns the sum over all entries up to `sequence`, which must be the end of a range of `kept`, or over all entries.
   */
  upTo(sequence: number): KeptSums {
    const end = Math.min(this.#sums.length, 3 * Math.ceil((sequence - this.#first + 1) / RANGE_LENGTH));
    const total = this.#earlier.slice();
    for (let at = 0; at < end; at += 1) total[at % 3] = (total[at % 3] ?? 0) + (this.#sums[at] ?? 0);
    return kept(this.seeds, total);
  }

  /** Restores an earlier sum as that of the entries before the first range. */
  goOn({ count, sums }: KeptSums): void {
    this.#earlier.set([count, ...sums]);
  }

  /** Returns whether the sums over the entries before the first range are equal. */
  isSameEarlier(other: KeySums): boolean {
    return this.#earlier.every((value, index) => value === other.#earlier[index]);
  }
}

function kept(seeds: readonly [number, number], [count = 0, first = 0, second = 0]: Int32Array): KeptSums {
  return { seeds, count, sums: [first, second] };
}

function newSeeds(): readonly [number, number] {
  return [randomInt(WORD), randomInt(WORD)];
}
