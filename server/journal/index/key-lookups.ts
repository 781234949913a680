import { type CompiledQuery, sql, type SqlBool } from "kysely";
import type { Database } from "../engine/database.ts";
import { numbersUnder, TAG_BITS, tagOf } from "./key-codec.ts";
import { isPostgres } from "../engine/migrations/portable-schema.ts";
import { paddedChunks, StatementCache } from "../engine/statement-cache.ts";

const NO_NUMBER = sql<number | null>`null`;
const NO_BYTES = sql<Uint8Array | null>`null`;

interface Found {
  readonly recent: number | null;
  readonly tag: Uint8Array | null;
  readonly epoch: number | null;
  readonly entries: Uint8Array | null;
}

/** Finds candidate entries by key, among merged and recent keys. */
export class KeyLookups {
  readonly #statements = new StatementCache<Found>();
  readonly #newest = new StatementCache<Found>();

  /** Returns the sequence numbers of entries with one of the keys, ascending. */
  async numbersOf(database: Database, keys: readonly number[]): Promise<number[]> {
    const numbers = new Set<number>();
    // The proofs of one document have the same key: each of them would find all the others.
    for (const some of paddedChunks([...new Set(keys)])) {
      const parameters = some.flatMap((key) => [key, tagOf(key)]);
      const { rows } = await database.executeQuery(
        this.#statements.of(some.length, () => lookup(database, some), parameters),
      );
      for (const number of numbersIn(rows)) numbers.add(number);
    }
    return [...numbers].sort((a, b) => a - b);
  }

  /**
   * Returns the newest sequence numbers of entries with a key, ascending. Of recent keys it reads no more than these: a
   * document can have very many proofs.
   * @param before Only numbers below this one
   */
  async newestOf(database: Database, key: number, before: number, limit: number): Promise<number[]> {
    const end = Math.min(before, Number.MAX_SAFE_INTEGER);
    const { rows } = await database.executeQuery(
      this.#newest.of(1, () => lookup(database, [key], { end, limit }), [key, tagOf(key), end, limit]),
    );
    const numbers = new Set(numbersIn(rows).filter((number) => number < before));
    return [...numbers].sort((a, b) => a - b).slice(-limit);
  }
}

function numbersIn(rows: readonly Found[]): number[] {
  return rows.flatMap(({ recent, tag, epoch, entries }) => [
    ...(recent === null ? [] : [recent]),
    ...(tag === null || epoch === null || entries === null ? [] : numbersUnder(tag, epoch, entries)),
  ]);
}

/**
 * Uses one statement: between two statements, keys could be merged from one table into the other.
 * @param newest Limits the recent keys to the newest ones below a number
 */
function lookup(
  database: Database,
  keys: readonly number[],
  newest?: { readonly end: number; readonly limit: number },
): CompiledQuery<Found> {
  const [bytes, isThere] = isPostgres(database)
    ? ["bytea", sql<SqlBool>`position(tag in entries) > 0`]
    : ["blob", sql<SqlBool>`instr(entries, tag) > 0`];
  const wanted = keys.map((key) => sql`(cast(${key} as bigint), cast(${tagOf(key)} as ${sql.raw(bytes)}))`);
  return database
    .with("wanted(key, tag)", () => sql<{ key: number; tag: Uint8Array }>`(values ${sql.join(wanted)})`)
    .with("recent", (e) =>
      e
        .selectFrom("wanted")
        .innerJoin("proof_keys_recent", "proof_keys_recent.key", "wanted.key")
        .select("sequence")
        .$if(newest !== undefined, (query) =>
          query
            .where("sequence", "<", newest?.end ?? 0)
            .orderBy("sequence", "desc")
            .limit(newest?.limit ?? 0),
        ),
    )
    .selectFrom("recent")
    .select([
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
          NO_NUMBER.as("recent"),
          sql<Uint8Array | null>`tag`.as("tag"),
          sql<number | null>`epoch`.as("epoch"),
          sql<Uint8Array | null>`entries`.as("entries"),
        ])
        .where(isThere),
    )
    .compile();
}
