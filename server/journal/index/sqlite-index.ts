import { type RawBuilder, sql } from "kysely";
import type { Database } from "../engine/database.ts";
import { type IndexedKey, KEY_KINDS, KEY_RANGE, type KeyedProof, type KeyKind, type KeyRange } from "./proof-key.ts";

/**
 * The index of proofs in SQLite. Keys are spread over pages at random, and one page write for each would cost more than
 * all other writes. So they are inserted into a small table, and moved slice by slice into the large one, many to a
 * page. A statement reads both tables: between two, keys could be moved.
 */

/** Slices of the range of keys, which are moved one at a time. */
const SLICES = 256;
const SLICE_SIZE = KEY_RANGE / SLICES;
/** Entries after which the next slice is moved. */
const ENTRIES_A_SLICE = 256;

/** Selects entries from both tables. */
const entries = (condition: RawBuilder<unknown>) => sql<IndexedKey>`
  select key, sequence from proof_index where ${condition}
  union all select key, sequence from proof_index_recent where ${condition}`;

/** Returns a key as it is stored. */
export function stored(_kind: KeyKind, key: number): number {
  return key;
}

/**
 * Inserts keys, and moves recent ones; inside the transaction that appends the proofs.
 * @param before The newest entry before the append
 * @param now The newest entry after it
 */
export async function insertKeys(
  transaction: Database,
  proofs: readonly KeyedProof[],
  before: number,
  now: number,
): Promise<void> {
  if (proofs.length > 0) await insertRecent(transaction, proofs);
  const last = Math.floor(now / ENTRIES_A_SLICE);
  const first = Math.max(Math.floor(before / ENTRIES_A_SLICE) + 1, last - SLICES + 1);
  for (let turn = first; turn <= last; turn += 1) await moveSlice(transaction, (turn % SLICES) * SLICE_SIZE);
}

async function insertRecent(transaction: Database, proofs: readonly KeyedProof[]): Promise<void> {
  const keyed = proofs
    .flatMap(({ sequence, keys }) => KEY_KINDS.map((kind): [number, number] => [keys[kind], sequence]))
    .sort(([a], [b]) => a - b);
  // The keys of one proof can be equal.
  await sql`
    insert or ignore into proof_index_recent (key, sequence)
    select value ->> 0, value ->> 1 from json_each(${JSON.stringify(keyed)})`.execute(transaction);
}

async function moveSlice(transaction: Database, from: number): Promise<void> {
  const slice = sql`from proof_index_recent where key >= ${from} and key < ${from + SLICE_SIZE}`;
  await sql`insert or ignore into proof_index select key, sequence ${slice} order by key`.execute(transaction);
  await sql`delete ${slice}`.execute(transaction);
}

/** Returns the entries from one to another with one of the keys, each with its key. */
export async function find(
  database: Database,
  _kind: KeyKind,
  keys: readonly number[],
  from: number,
  to: number,
): Promise<IndexedKey[]> {
  const wanted = sql`select value from json_each(${JSON.stringify(keys)})`;
  const { rows } = await entries(sql`key in (${wanted}) and sequence between ${from} and ${to}`).execute(database);
  return rows;
}

/** Returns entries with a key: the newest before an entry, or the oldest after one, in this order. */
export async function page(database: Database, _kind: KeyKind, key: number, range: KeyRange): Promise<number[]> {
  const from = Math.min(range.from, Number.MAX_SAFE_INTEGER);
  const [isInRange, order] =
    range.order === "newest first" ? [sql`sequence < ${from}`, sql`desc`] : [sql`sequence > ${from}`, sql`asc`];
  const condition = sql`key = ${key} and ${isInRange}`;
  const { rows } = await sql<{ sequence: number }>`
    ${entries(condition)} order by sequence ${order} limit ${range.limit}`.execute(database);
  return rows.map(({ sequence }) => sequence);
}

/** Returns the newest entry before another one with each of the keys, as far as there is one. */
export async function newestOfEach(
  database: Database,
  _kind: KeyKind,
  keys: readonly number[],
  before: number,
): Promise<Map<number, number>> {
  const end = Math.min(before, Number.MAX_SAFE_INTEGER);
  const newestIn = (table: string) => sql`
    select value as key,
      (select max(sequence) from ${sql.table(table)} where key = value and sequence < ${end}) as sequence
    from json_each(${JSON.stringify(keys)})`;
  const { rows } = await sql<{ key: number; sequence: number }>`
    select key, max(sequence) as sequence from (${newestIn("proof_index")} union all ${newestIn("proof_index_recent")})
    where sequence is not null group by key`.execute(database);
  return new Map(rows.map(({ key, sequence }) => [key, sequence]));
}
