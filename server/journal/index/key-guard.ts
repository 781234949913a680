import { yieldToEventLoop } from "../../kit/event-loop.ts";
import { type CompiledQuery, sql } from "kysely";
import type { Database } from "../engine/database.ts";
import { isPostgres } from "../engine/migrations/portable-schema.ts";
import { chunks, StatementCache } from "../engine/statement-cache.ts";
import { entriesOf, KEY_ENTRY_BYTES, TAG_BITS } from "./key-codec.ts";
import { KeySums, PAGE_SIZE, PAGES, RECENT, SLICE_SIZE, SLICES, sliceOf } from "./key-sums.ts";

const BUCKETS_PER_PAGE = PAGE_SIZE / 2 ** TAG_BITS;
/** A slice has 2^14 buckets. */
const SLICE_SHIFT = Math.log2(BUCKETS_PER_PAGE * PAGES);
/** Keys that are summed at a time: a document can have very many, and other requests are served in between. */
const KEYS_AT_ONCE = 8_192;
/** Pages that are read with one statement. */
const PAGES_AT_ONCE = 32;
const NO_TEXT = sql<string | null>`null`;
const NO_BYTES = sql<Uint8Array | null>`null`;

interface RecentRow {
  readonly key: number;
  /** A JSON array of all entries with the key. */
  readonly numbers: string | null;
  readonly sums: Uint8Array | null;
}

interface MergedRow {
  readonly kind: "keys" | "sums";
  /** The bucket of keys, the slice of sums. */
  readonly number: number;
  readonly epoch: number;
  readonly bytes: Uint8Array;
}

/** Compares the keys of the index with their sums. */
export class KeyCheck {
  readonly #database: Database;
  readonly #recent = new StatementCache<RecentRow>();
  readonly #merged = new StatementCache<MergedRow>();
  readonly #any = new StatementCache<{ readonly epoch: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns whether all keys of a slice are those that were written. */
  async isSliceWhole(slice: number): Promise<boolean> {
    if (!(await this.isRecentWhole(slice))) return false;
    // Most slices of a new journal have no merged keys, and need no look at each page.
    const compile = (): CompiledQuery<{ epoch: number }> => anyMerged(this.#database);
    const buckets = [slice, slice + 1].map((each) => each * PAGES * BUCKETS_PER_PAGE);
    const { rows } = await this.#database.executeQuery(this.#any.of(1, compile, [...buckets, 1, slice]));
    const pages = Array.from({ length: PAGES }, (_, page) => slice * PAGES + page);
    return rows.length === 0 || this.areMergedWhole(pages);
  }

  /** Uses one statement, so that keys and sums belong together. */
  async isRecentWhole(slice: number): Promise<boolean> {
    const compile = (): CompiledQuery<RecentRow> => recentKeys(this.#database);
    const range = [slice * SLICE_SIZE, (slice + 1) * SLICE_SIZE];
    const { rows } = await this.#database.executeQuery(this.#recent.of(1, compile, [...range, RECENT.slice]));
    const expected = new KeySums(rows.find(({ sums }) => sums !== null)?.sums ?? undefined, SLICES);
    const found = new KeySums(undefined, 1);
    let added = 0;
    for (const { key, numbers } of rows) {
      if (numbers === null) continue;
      for (const sequence of sequencesIn(numbers)) {
        found.add(0, { key, sequence });
        if ((added += 1) % KEYS_AT_ONCE === 0) await yieldToEventLoop();
      }
    }
    return found.isSame(expected, 0, slice);
  }

  /** @param pages Counted over all slices */
  async areMergedWhole(pages: readonly number[]): Promise<boolean> {
    for (let first = 0; first < pages.length; first += PAGES_AT_ONCE) {
      for (const some of chunks(pages.slice(first, first + PAGES_AT_ONCE)))
        if (!(await this.#areWhole(some))) return false;
      await yieldToEventLoop();
    }
    return true;
  }

  async #areWhole(pages: readonly number[]): Promise<boolean> {
    const compile = (): CompiledQuery<MergedRow> => mergedKeys(this.#database, pages.length);
    const buckets = pages.map((page) => page * BUCKETS_PER_PAGE);
    const { rows } = await this.#database.executeQuery(this.#merged.of(pages.length, compile, buckets));
    const expected = new Map<string, KeySums>();
    const found = new Map<string, KeySums>();
    const epochs = new Set(rows.map(({ epoch }) => epoch));
    for (const { kind, number, epoch, bytes } of rows) {
      if (kind === "sums") {
        expected.set(`${epoch} ${number}`, new KeySums(bytes));
        continue;
      }
      const place = `${epoch} ${Math.floor(number / BUCKETS_PER_PAGE)}`;
      const sums = found.get(place) ?? new KeySums(undefined, 1);
      found.set(place, sums);
      for (let from = 0; from < bytes.length; from += KEYS_AT_ONCE * KEY_ENTRY_BYTES) {
        if (from > 0) await yieldToEventLoop();
        for (const key of entriesOf(number, epoch, bytes.subarray(from, from + KEYS_AT_ONCE * KEY_ENTRY_BYTES)))
          sums.add(0, key);
      }
    }
    const [noKeys, noSums] = [new KeySums(undefined, 1), new KeySums()];
    return pages.every((page) =>
      [...epochs].every((epoch) =>
        (found.get(`${epoch} ${page}`) ?? noKeys).isSame(
          expected.get(`${epoch} ${Math.floor(page / PAGES)}`) ?? noSums,
          0,
          page % PAGES,
        ),
      ),
    );
  }
}

/** Checks the keys that look-ups depend on. Checks each part of the index once. */
export class KeyGuard {
  readonly #check: KeyCheck;
  readonly #slices = new Set<number>();
  readonly #pages = new Set<number>();

  constructor(check: KeyCheck) {
    this.#check = check;
  }

  /** @throws RangeError when the index has lost keys, or has others, in a part that one of these is in */
  async check(keys: readonly number[]): Promise<void> {
    const slices = [...new Set(keys.map(sliceOf))].filter((slice) => !this.#slices.has(slice));
    const pages = [...new Set(keys.map((key) => Math.floor(key / PAGE_SIZE)))].filter((page) => !this.#pages.has(page));
    for (const slice of slices) {
      if (!(await this.#check.isRecentWhole(slice))) throw changed();
      if (slices.length > 1) await yieldToEventLoop();
    }
    if (!(await this.#check.areMergedWhole(pages))) throw changed();
    for (const slice of slices) this.#slices.add(slice);
    for (const page of pages) this.#pages.add(page);
  }
}

function changed(): RangeError {
  return new RangeError("the index of the journal lacks proofs or has others: it was changed");
}

function sequencesIn(numbers: string): number[] {
  const parsed: number[] = JSON.parse(numbers);
  return parsed;
}

/** The entries of each key are in one row: a document can have very many. */
function recentKeys(database: Database): CompiledQuery<RecentRow> {
  const numbers = isPostgres(database)
    ? sql<string | null>`cast(json_agg(sequence) as text)`
    : sql<string | null>`json_group_array(sequence)`;
  return database
    .selectFrom("proof_keys_recent")
    .select(["key", numbers.as("numbers"), NO_BYTES.as("sums")])
    .where("key", ">=", 0)
    .where("key", "<", 0)
    .groupBy("key")
    .unionAll(
      database
        .selectFrom("proof_key_sums")
        .select(["slice as key", NO_TEXT.as("numbers"), sql<Uint8Array | null>`sums`.as("sums")])
        .where("slice", "=", 0),
    )
    .compile();
}

/** Returns a row when a slice has merged keys, and one for each of its sums. */
function anyMerged(database: Database): CompiledQuery<{ readonly epoch: number }> {
  return database
    .selectFrom((e) =>
      e.selectFrom("proof_keys").select("epoch").where("bucket", ">=", 0).where("bucket", "<", 0).limit(1).as("some"),
    )
    .select("epoch")
    .unionAll((e) => e.selectFrom("proof_key_sums").select("epoch").where("slice", "=", 0))
    .compile();
}

function mergedKeys(database: Database, count: number): CompiledQuery<MergedRow> {
  const firsts = Array.from({ length: count }, () => sql`(cast(${0} as integer))`);
  return database
    .with("wanted(first)", () => sql<{ first: number }>`(values ${sql.join(firsts)})`)
    .selectFrom("wanted")
    .innerJoin("proof_keys", (join) =>
      join
        .onRef("bucket", ">=", "wanted.first")
        .on("bucket", "<", sql<number>`wanted.first + ${sql.lit(BUCKETS_PER_PAGE)}`),
    )
    .select([sql<MergedRow["kind"]>`'keys'`.as("kind"), "bucket as number", "epoch", "entries as bytes"])
    .unionAll((e) =>
      e
        .selectFrom("proof_key_sums")
        .select([sql<MergedRow["kind"]>`'sums'`.as("kind"), "slice as number", "epoch", "sums as bytes"])
        .where("slice", "in", (inner) =>
          inner.selectFrom("wanted").select(sql<number>`wanted.first >> ${sql.lit(SLICE_SHIFT)}`.as("slice")),
        ),
    )
    .compile();
}
