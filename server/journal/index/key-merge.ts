import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { EPOCH_BITS, TAG_BITS } from "./key-codec.ts";
import { KEY_RANGE } from "./proof-key.ts";
import { isPostgres } from "../engine/migrations/portable-schema.ts";

/**
 * The index of proofs. A key is the first bits of a hash; a lookup compares the whole hash of each candidate. Hashes
 * are spread over pages at random, and one page write per key would cost more than all other writes. So keys are
 * inserted into a small table, `proof_keys_recent`, and merged slice by slice into the large one, `proof_keys`, many
 * per page.
 */

/** Slices of the index, which are merged one at a time. */
export const SLICES = 256;
export const SLICE_SIZE = KEY_RANGE / SLICES;

/** Entries after which the next slice is merged. */
const ENTRIES_A_SLICE = 256;

const BUCKET = sql.raw(`key >> ${TAG_BITS}`);
const EPOCH = sql.raw(`sequence >> ${EPOCH_BITS}`);
const TAG = sql.raw(`key & ${2 ** TAG_BITS - 1}`);
const NUMBER = sql.raw(`sequence & ${2 ** EPOCH_BITS - 1}`);

/**
 * Merges recent keys after entries were written; part of the transaction that wrote them.
 * @param before The newest entry before
 * @param now The newest entry now
 */
export async function mergeRecentKeys(transaction: QueryExecutorProvider, before: number, now: number): Promise<void> {
  const last = Math.floor(now / ENTRIES_A_SLICE);
  const first = Math.max(Math.floor(before / ENTRIES_A_SLICE) + 1, last - SLICES + 1);
  for (let turn = first; turn <= last; turn += 1) {
    const number = turn % SLICES;
    const from = number * SLICE_SIZE;
    const slice = sql`proof_keys_recent where key >= ${from} and key < ${from + SLICE_SIZE}`;
    const insert = isPostgres(transaction) ? inPostgres(slice) : inSqlite(slice);
    await insert.execute(transaction);
    await sql`delete from ${slice}`.execute(transaction);
  }
}

function inSqlite(slice: RawBuilder<unknown>): RawBuilder<unknown> {
  // Concatenates texts and bytes alike; the result counts as text.
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
    select ${BUCKET}, ${EPOCH}, string_agg(${entry}, '' order by key, sequence)
    from ${slice} group by 1, 2 order by 1, 2
    on conflict (bucket, epoch) do update set entries = proof_keys.entries || excluded.entries`;
}
