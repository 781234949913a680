import { type CompiledQuery, sql, type SqlBool } from "kysely";
import type { Database } from "../engine/database.ts";
import { numbersUnder, TAG_BITS, tagOf } from "./key-codec.ts";
import { isPostgres } from "../engine/migrations/portable-schema.ts";
import { paddedChunks, StatementCache } from "../engine/statement-cache.ts";

const NO_NUMBER = sql<number | null>`null`;
const NO_BYTES = sql<Uint8Array | null>`null`;

/** The order in which entries with a key are read. */
export type Order = "oldest first" | "newest first";

/** Which entries with a key are read. */
export interface KeyRange {
  readonly order: Order;
  /** The entry before which results begin, newest first, or after which they begin. */
  readonly from: number;
  readonly limit: number;
}

interface Found {
  readonly key: number;
  readonly recent: number | null;
  readonly tag: Uint8Array | null;
  readonly epoch: number | null;
  readonly entries: Uint8Array | null;
}

/** Selects from the recent keys. */
type RecentKeys = "all" | "newest of each" | Order;

/** Finds candidate entries by key, among merged and recent keys. */
export class KeyLookups {
  readonly #statements: Readonly<Record<RecentKeys, StatementCache<Found>>> = {
    all: new StatementCache(),
    "newest of each": new StatementCache(),
    "oldest first": new StatementCache(),
    "newest first": new StatementCache(),
  };

  /** Returns the sequence numbers of entries with one of the keys, ascending, within a range. */
  async numbersOf(database: Database, keys: readonly number[], from?: number, to?: number): Promise<number[]> {
    const numbers = new Set<number>();
    // The proofs of one document have the same key: each of them would find all the others.
    for (const some of paddedChunks([...new Set(keys)])) {
      for (const row of await this.#find(database, "all", some))
        for (const number of numbersIn(row, from, to)) numbers.add(number);
    }
    return [...numbers].sort((a, b) => a - b);
  }

  /**
   * Returns sequence numbers of entries with a key, ascending: the newest before an entry, or the oldest after one. Of
   * recent keys it reads no more than these: a document can have very many proofs.
   */
  async someOf(database: Database, key: number, { order, from, limit }: KeyRange): Promise<number[]> {
    const isNewestFirst = order === "newest first";
    const end = Math.min(from, Number.MAX_SAFE_INTEGER);
    const rows = await this.#find(database, order, [key], [end, limit]);
    const isInRange = (number: number): boolean => (isNewestFirst ? number < from : number > from);
    const numbers = [...new Set(rows.flatMap((row) => numbersIn(row)).filter(isInRange))].sort((a, b) => a - b);
    return isNewestFirst ? numbers.slice(-limit) : numbers.slice(0, limit);
  }

  /** Returns the newest entry before another one with each key, as far as there is one. */
  async newestOfEach(database: Database, keys: readonly number[], before: number): Promise<Map<number, number>> {
    const newest = new Map<number, number>();
    const end = Math.min(before, Number.MAX_SAFE_INTEGER);
    for (const some of paddedChunks([...new Set(keys)])) {
      for (const row of await this.#find(database, "newest of each", some, [end])) {
        for (const number of numbersIn(row))
          if (number < before && number > (newest.get(row.key) ?? -1)) newest.set(row.key, number);
      }
    }
    return newest;
  }

  async #find(
    database: Database,
    recent: RecentKeys,
    keys: readonly number[],
    parameters: readonly number[] = [],
  ): Promise<Found[]> {
    const wanted = keys.flatMap((key) => [key, tagOf(key)]);
    const compile = (): CompiledQuery<Found> => lookup(database, recent, keys);
    const query = this.#statements[recent].of(keys.length, compile, [...wanted, ...parameters]);
    return (await database.executeQuery(query)).rows;
  }
}

function numbersIn({ recent, tag, epoch, entries }: Found, from?: number, to?: number): number[] {
  return [
    ...(recent === null ? [] : [recent]),
    ...(tag === null || epoch === null || entries === null ? [] : numbersUnder(tag, epoch, entries, from, to)),
  ];
}

/**
 * Uses one statement: between two statements, keys could be merged from one table into the other. Its parameters are
 * the keys with their tags, the entry before or after which recent keys are read, and how many of them.
 */
function lookup(database: Database, recent: RecentKeys, keys: readonly number[]): CompiledQuery<Found> {
  const [bytes, isThere] = isPostgres(database)
    ? ["bytea", sql<SqlBool>`position(tag in entries) > 0`]
    : ["blob", sql<SqlBool>`instr(entries, tag) > 0`];
  const wanted = keys.map((key) => sql`(cast(${key} as bigint), cast(${tagOf(key)} as ${sql.raw(bytes)}))`);
  const isNewestFirst = recent === "newest first";
  return database
    .with("wanted(key, tag)", () => sql<{ key: number; tag: Uint8Array }>`(values ${sql.join(wanted)})`)
    .with("recent", (e) =>
      recent === "newest of each"
        ? e.selectFrom("wanted").select([
            "wanted.key",
            (inner) =>
              inner
                .selectFrom("proof_keys_recent")
                .select((one) => one.fn.max<number | null>("sequence").as("newest"))
                .whereRef("proof_keys_recent.key", "=", "wanted.key")
                .where("sequence", "<", 0)
                .as("sequence"),
          ])
        : e
            .selectFrom("wanted")
            .innerJoin("proof_keys_recent", "proof_keys_recent.key", "wanted.key")
            .select(["wanted.key", "sequence"])
            .$if(recent !== "all", (query) =>
              query
                .where("sequence", isNewestFirst ? "<" : ">", 0)
                .orderBy("sequence", isNewestFirst ? "desc" : "asc")
                .limit(0),
            ),
    )
    .selectFrom("recent")
    .select([
      "recent.key",
      sql<number | null>`sequence`.as("recent"),
      NO_BYTES.as("tag"),
      NO_NUMBER.as("epoch"),
      NO_BYTES.as("entries"),
    ])
    .unionAll((e) =>
      e
        .selectFrom("wanted")
        .innerJoin("proof_keys", (join) => join.on("bucket", "=", sql<number>`wanted.key >> ${sql.lit(TAG_BITS)}`))
        .select([
          "wanted.key",
          NO_NUMBER.as("recent"),
          sql<Uint8Array | null>`tag`.as("tag"),
          sql<number | null>`epoch`.as("epoch"),
          sql<Uint8Array | null>`entries`.as("entries"),
        ])
        .where(isThere),
    )
    .compile();
}
