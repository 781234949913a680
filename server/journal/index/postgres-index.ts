import { type RawBuilder, sql } from "kysely";
import type { Database } from "../engine/database.ts";
import type { IndexedKey, KeyedProof, KeyKind, KeyRange } from "./proof-key.ts";

/**
 * The index of proofs in PostgreSQL. A document or a content can have any number of proofs: their keys are ordered by
 * entry, in steps of 128 entries, so that a page of them costs the same wherever it begins. Such a key has 32 bits:
 * with as many for the step, a tuple of the index is no longer than with a key of 64 bits.
 */

const COLUMNS: Readonly<Record<KeyKind, RawBuilder<number>>> = {
  record: sql.ref("record_key"),
  hash: sql.ref("hash_key"),
  document: sql.ref("document_key"),
};
const STEP = sql<number>`(sequence >> 7)::integer`;
const stepOf = (sequence: number) => sql`(${sequence}::bigint >> 7)::integer`;
/** Later entries have no step. */
const MOST_ENTRIES = 2 ** 38 - 1;

/** Returns a key as it is stored. */
export function stored(kind: KeyKind, key: number): number {
  return kind === "record" ? key : Math.floor(key / 2 ** 16) - 2 ** 31;
}

/** Inserts keys; inside the transaction that appends the proofs. */
export async function insertKeys(transaction: Database, proofs: readonly KeyedProof[]): Promise<void> {
  if (proofs.length === 0) return;
  const column = (kind: KeyKind) => proofs.map(({ keys }) => stored(kind, keys[kind]));
  await sql`
    insert into proof_index (sequence, record_key, hash_key, document_key)
    select * from unnest(${proofs.map(({ sequence }) => sequence)}::bigint[], ${column("record")}::bigint[],
      ${column("hash")}::integer[], ${column("document")}::integer[])`.execute(transaction);
}

/** Deletes the keys of some proofs. */
export async function deleteKeys(
  transaction: Database,
  proofs: readonly { readonly sequence: number }[],
): Promise<void> {
  const sequences = proofs.map(({ sequence }) => sequence);
  await sql`delete from proof_index where sequence = any(${sequences}::bigint[])`.execute(transaction);
}

/** Returns the entries from one to another with one of the keys, each with its key as it is stored. */
export async function find(
  database: Database,
  kind: KeyKind,
  keys: readonly number[],
  from: number,
  to: number,
): Promise<IndexedKey[]> {
  const end = Math.min(to, MOST_ENTRIES);
  const steps = kind === "record" ? sql`` : sql`and ${STEP} between ${stepOf(from)} and ${stepOf(end)}`;
  const { rows } = await sql<IndexedKey>`
    select ${COLUMNS[kind]} as key, sequence from proof_index
    where ${COLUMNS[kind]} = any(${keys.map((key) => stored(kind, key))}::bigint[]) ${steps}
      and sequence between ${from} and ${end}`.execute(database);
  return rows;
}

/** Returns entries with a key: the newest before an entry, or the oldest after one, in this order. */
export async function page(database: Database, kind: KeyKind, key: number, range: KeyRange): Promise<number[]> {
  const from = Math.min(range.from, MOST_ENTRIES);
  const [isInRange, order] =
    range.order === "newest first"
      ? [sql`${STEP} <= ${stepOf(from)} and sequence < ${from}`, sql`desc`]
      : [sql`${STEP} >= ${stepOf(from)} and sequence > ${from}`, sql`asc`];
  const { rows } = await sql<{ sequence: number }>`
    select sequence from proof_index where ${COLUMNS[kind]} = ${stored(kind, key)} and ${isInRange}
    order by ${STEP} ${order}, sequence ${order} limit ${range.limit}`.execute(database);
  return rows.map(({ sequence }) => sequence);
}

/** Returns the newest entry before another one with each of the keys, as far as there is one. */
export async function newestOfEach(
  database: Database,
  kind: KeyKind,
  keys: readonly number[],
  before: number,
): Promise<Map<number, number>> {
  const from = Math.min(before, MOST_ENTRIES);
  const { rows } = await sql<{ place: number; sequence: number }>`
    select wanted.place, newest.sequence
    from unnest(${keys.map((key) => stored(kind, key))}::bigint[]) with ordinality as wanted(key, place)
    cross join lateral (
      select sequence from proof_index
      where ${COLUMNS[kind]} = wanted.key and ${STEP} <= ${stepOf(from)} and sequence < ${from}
      order by ${STEP} desc, sequence desc limit 1
    ) as newest`.execute(database);
  return new Map(rows.map(({ place, sequence }) => [keys[place - 1] ?? 0, sequence]));
}
