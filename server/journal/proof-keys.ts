import { type CompiledQuery, type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import type { Database } from "./database.ts";
import { EPOCH_BITS, numbersUnder, TAG_BITS, tagOf } from "./key-entries.ts";
import { isPostgres } from "./portable-schema.ts";
import { KEY_RANGE } from "./proof-key.ts";
import { paddedPieces, StatementsBySize } from "./statements.ts";

/**
 * What proofs are found by. A key is the first bits of a hash and says where a proof may be; whoever looks compares the
 * whole. Hashes fall on pages at random, and to write a page for each would cost more than everything else. So keys
 * are gathered in a small table, `proof_keys_recent`, and brought slice by slice into the large one, `proof_keys`, each
 * time many to a page.
 */

const SLICES = 256;
const SLICE_SIZE = KEY_RANGE / SLICES;
/** Entries after which the next slice is brought over. */
const ENTRIES_A_SLICE = 256;

const BUCKET = sql.raw(`key >> ${TAG_BITS}`);
const EPOCH = sql.raw(`sequence >> ${EPOCH_BITS}`);
const TAG = sql.raw(`key & ${2 ** TAG_BITS - 1}`);
const NUMBER = sql.raw(`sequence & ${2 ** EPOCH_BITS - 1}`);

/**
 * Brings keys to where they stay, after entries were written; part of the transaction that wrote them.
 * @param before The newest entry before
 * @param now The newest entry now
 */
export async function settleKeys(transaction: QueryExecutorProvider, before: number, now: number): Promise<void> {
  const last = Math.floor(now / ENTRIES_A_SLICE);
  const first = Math.max(Math.floor(before / ENTRIES_A_SLICE) + 1, last - SLICES + 1);
  for (let turn = first; turn <= last; turn += 1) {
    const from = (turn % SLICES) * SLICE_SIZE;
    const slice = sql`proof_keys_recent where key >= ${from} and key < ${from + SLICE_SIZE}`;
    const insert = isPostgres(transaction) ? inPostgres(slice) : inSqlite(slice);
    await insert.execute(transaction);
    await sql`delete from ${slice}`.execute(transaction);
  }
}

function inSqlite(slice: RawBuilder<unknown>): RawBuilder<unknown> {
  // Texts and bytes are put together alike, and what comes out counts as text.
  return sql`
    insert into proof_keys (bucket, epoch, entries)
    select ${BUCKET}, ${EPOCH}, unhex(printf('%04x%06x', ${TAG}, ${NUMBER})) from ${slice} order by key, sequence
    on conflict (bucket, epoch) do update set entries = cast(entries || excluded.entries as blob)`;
}

function inPostgres(slice: RawBuilder<unknown>): RawBuilder<unknown> {
  // A statement cannot change a row twice.
  const entry = sql`decode(lpad(to_hex(${TAG}), 4, '0') || lpad(to_hex(${NUMBER}), 6, '0'), 'hex')`;
  return sql`
    insert into proof_keys (bucket, epoch, entries)
    select ${BUCKET}, ${EPOCH}, string_agg(${entry}, '' order by key, sequence) from ${slice} group by 1, 2 order by 1, 2
    on conflict (bucket, epoch) do update set entries = proof_keys.entries || excluded.entries`;
}

interface Found {
  readonly recent: number | null;
  readonly tag: Uint8Array | null;
  readonly epoch: number | null;
  readonly entries: Uint8Array | null;
}

/** Finds the entries of the journal that may be the wanted ones. */
export class KeyStatements {
  readonly #lookups = new StatementsBySize<Found>();

  /** The numbers of entries that have one of the keys, rising. */
  async numbersOf(database: Database, keys: readonly number[]): Promise<number[]> {
    const numbers = new Set<number>();
    for (const some of paddedPieces(keys)) {
      const parameters = some.flatMap((key) => [key, tagOf(key)]);
      const { rows } = await database.executeQuery(this.#lookups.of(some.length, () => lookup(database, parameters), parameters));
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
