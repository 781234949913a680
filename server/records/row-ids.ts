import { randomInt } from "node:crypto";
import type { RecordReader } from "./record.ts";
import type { StoreEntries } from "./store-entries.ts";

/** How much further the next attempt can be: many rows of another writer are passed in few attempts. */
const GROWTH = 16;

/** Where row ids come from. */
interface Known {
  readonly records: Pick<RecordReader, "highestRowId">;
  readonly stores: Pick<StoreEntries, "newestRowId">;
}

/** Assigns row ids: the one after the highest of the chain's rows and of those that were assigned before. */
export class RowIds {
  readonly #known: Known;
  #last: bigint | undefined;

  constructor(known: Known) {
    this.#known = known;
  }

  /**
   * Returns the row id for an attempt to store a record. Where another writer was first, the contract refuses, and the
   * next attempt is further on.
   * @param attempt 1 for the first one
   */
  async next(attempt: number): Promise<bigint> {
    const highest = await this.#known.records.highestRowId();
    // Calls that run at the same time can have assigned some while this one read.
    const newest = this.#last ?? (await this.#known.stores.newestRowId());
    const last = this.#last ?? newest;
    if (highest > last) this.#last = highest + 1n;
    // The index does not know what is in the way.
    else this.#last = last + BigInt(attempt === 1 ? 1 : randomInt(1, GROWTH ** (attempt - 1) + 1));
    return this.#last;
  }
}
