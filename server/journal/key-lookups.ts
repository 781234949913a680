import { type CompiledQuery, sql } from "kysely";
import type { Database } from "./database.ts";
import { numbersUnder, TAG_BITS, tagOf } from "./key-entries.ts";
import { isPostgres } from "./portable-schema.ts";
import { paddedPieces, StatementsBySize } from "./statements.ts";

interface Found {
  readonly recent: number | null;
  readonly tag: Uint8Array | null;
  readonly epoch: number | null;
  readonly entries: Uint8Array | null;
}

/** Finds the entries of the journal that may be the wanted ones, among keys that were brought over and among recent ones. */
export class KeyLookups {
  readonly #statements = new StatementsBySize<Found>();

  /** The numbers of entries that have one of the keys, rising. */
  async numbersOf(database: Database, keys: readonly number[]): Promise<number[]> {
    const numbers = new Set<number>();
    for (const some of paddedPieces(keys)) {
      const parameters = some.flatMap((key) => [key, tagOf(key)]);
      const { rows } = await database.executeQuery(this.#statements.of(some.length, () => lookup(database, parameters), parameters));
      for (const { recent, tag, epoch, entries } of rows) {
        if (recent !== null) numbers.add(recent);
        if (tag !== null && epoch !== null && entries !== null) numbersUnder(tag, epoch, entries).forEach((number) => numbers.add(number));
      }
    }
    return [...numbers].sort((a, b) => a - b);
  }
}

/** In one statement: between two, keys could be brought from the one table to the other. */
function lookup(database: Database, parameters: readonly unknown[]): CompiledQuery<Found> {
  const [type, place] = isPostgres(database) ? ["bytea", sql`position(tag in entries)`] : ["blob", sql`instr(entries, tag)`];
  const wanted = Array.from({ length: parameters.length / 2 }, (_, index) =>
    sql`(cast(${parameters[2 * index]} as bigint), cast(${parameters[2 * index + 1]} as ${sql.raw(type)}))`,
  );
  return sql<Found>`
    with wanted (key, tag) as (values ${sql.join(wanted)})
    select sequence as recent, null as tag, null as epoch, null as entries
    from wanted join proof_keys_recent on proof_keys_recent.key = wanted.key
    union all
    select null, tag, epoch, entries
    from wanted join proof_keys on bucket = wanted.key >> ${sql.raw(String(TAG_BITS))}
    where ${place} > 0`.compile(database);
}
