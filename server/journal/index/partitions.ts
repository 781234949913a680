import { type QueryExecutorProvider, sql } from "kysely";
import { refuseChangesOfPartition } from "../engine/migrations/append-only.ts";
import { isPostgres } from "../engine/migrations/portable-schema.ts";
import type { ProofsTable } from "../engine/schema.ts";

/**
 * On PostgreSQL the proofs are partitioned by the month of their acceptance. The embedded engine has one table.
 * `proof_months` has the first entry of each run of entries in one month, so that a lookup reads one partition.
 */

/** A month in UTC, counted from the year 0. */
export type Month = number;

/** The last representable time of a month. */
const LAST_TIME = 8.64e15 - 1;

/** Returns the month of a time in Unix milliseconds. */
export function monthOf(time: number): Month {
  const date = new Date(Math.min(time, LAST_TIME));
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Returns the start of a month, in Unix milliseconds. */
export function startOf(month: Month): number {
  const start = Date.UTC(Math.floor(month / 12), month % 12);
  return Number.isNaN(start) ? Number.MAX_SAFE_INTEGER : start;
}

/** Returns the name of a month's partition. */
export function partitionOf(month: Month): string {
  return `proofs_${Math.floor(month / 12)}_${String((month % 12) + 1).padStart(2, "0")}`;
}

/**
 * Creates missing partitions for rows that are about to be inserted, also after a clock jumped.
 * @param rows In the order of the entries
 */
export async function openPartitions(
  transaction: QueryExecutorProvider,
  rows: readonly Pick<ProofsTable, "sequence" | "accepted_at">[],
): Promise<void> {
  if (!isPostgres(transaction)) return;
  const { rows: newest } = await sql<{
    month: Month;
  }>`select month from proof_months order by first_sequence desc limit 1`.execute(transaction);
  let current = newest[0]?.month;
  for (const { sequence, accepted_at: acceptedAt } of rows) {
    const month = monthOf(acceptedAt);
    if (month === current) continue;
    await addPartition(transaction, month);
    await sql`insert into proof_months (first_sequence, month) values (${sequence}, ${month})`.execute(transaction);
    current = month;
  }
}

/** Creates the partition of a month, if there is none. */
export async function addPartition(transaction: QueryExecutorProvider, month: Month): Promise<void> {
  const name = partitionOf(month);
  const { rows } = await sql<{ known: boolean }>`select to_regclass(${name}) is not null as known`.execute(transaction);
  if (rows[0]?.known === true) return;
  // Created separately and then attached: `create table ... partition of` locks out all readers.
  await sql`create table ${sql.table(name)} (like proofs including defaults including constraints)`.execute(
    transaction,
  );
  await sql`
    alter table proofs attach partition ${sql.table(name)}
    for values from (${sql.lit(startOf(month))}) to (${sql.lit(startOf(month + 1))})`.execute(transaction);
  await refuseChangesOfPartition(transaction, name);
}
