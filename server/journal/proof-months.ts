import { type QueryExecutorProvider, sql } from "kysely";
import type { Database } from "./database.ts";
import { refuseChangesOfPartition } from "./migrations/append-only.ts";
import { isPostgres } from "./portable-schema.ts";
import type { ProofsTable } from "./schema.ts";

/**
 * PostgreSQL keeps the proofs of each month, by when they were accepted, in a table of their own: a partition. The
 * embedded engine has one table. `proof_months` says from which entry on which month is written to, so that whoever
 * looks for an entry need not look into every partition.
 */

/** A month in UTC, counted from the year 0. */
type Month = number;

/** How many months after the current one have their partition before it is needed. */
const MONTHS_AHEAD = 2;
/** The last time that is in a month. */
const LAST_TIME = 8.64e15 - 1;

/** The month of a time in Unix milliseconds. */
export function monthOf(time: number): Month {
  const date = new Date(Math.min(time, LAST_TIME));
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** When a month begins, in Unix milliseconds. */
export function startOf(month: Month): number {
  const start = Date.UTC(Math.floor(month / 12), month % 12);
  return Number.isNaN(start) ? Number.MAX_SAFE_INTEGER : start;
}

/** The name of a month's partition. */
export function partitionOf(month: Month): string {
  return `proofs_${Math.floor(month / 12)}_${String((month % 12) + 1).padStart(2, "0")}`;
}

/** Makes the partitions of the coming months. */
export async function prepareMonths(database: Database, now: number): Promise<void> {
  if (!isPostgres(database)) return;
  const current = monthOf(now);
  await database.transaction().execute(async (transaction) => {
    for (let month = current; month <= current + MONTHS_AHEAD; month += 1) await addPartition(transaction, month, "proofs");
  });
}

/**
 * Sees to it that rows which are about to be written have their partitions, also when a clock jumped.
 * @param rows In the order of the entries
 * @param table What the table of proofs is called
 */
export async function openMonths(
  transaction: QueryExecutorProvider,
  rows: readonly Pick<ProofsTable, "sequence" | "accepted_at">[],
  table = "proofs",
): Promise<void> {
  if (!isPostgres(transaction)) return;
  const { rows: newest } = await sql<{ month: Month }>`select month from proof_months order by first_sequence desc limit 1`.execute(transaction);
  let current = newest[0]?.month;
  for (const { sequence, accepted_at: acceptedAt } of rows) {
    const month = monthOf(acceptedAt);
    if (month === current) continue;
    await addPartition(transaction, month, table);
    await sql`insert into proof_months (first_sequence, month) values (${sequence}, ${month})`.execute(transaction);
    current = month;
  }
}

async function addPartition(transaction: QueryExecutorProvider, month: Month, table: string): Promise<void> {
  const name = partitionOf(month);
  const { rows } = await sql<{ known: boolean }>`select to_regclass(${name}) is not null as known`.execute(transaction);
  if (rows[0]?.known === true) return;
  // To make it as a partition would wait for everybody who reads the others, and have everybody else wait.
  await sql`create table ${sql.table(name)} (like ${sql.table(table)} including defaults including constraints)`.execute(transaction);
  await sql`
    alter table ${sql.table(table)} attach partition ${sql.table(name)}
    for values from (${sql.lit(startOf(month))}) to (${sql.lit(startOf(month + 1))})`.execute(transaction);
  await refuseChangesOfPartition(transaction, name);
}

/** Entries that are all in one month, if they are kept by month. */
export interface EntriesOfMonth {
  readonly numbers: readonly number[];
  /** Unix milliseconds; the end does not belong to it. */
  readonly span: { readonly from: number; readonly to: number } | undefined;
}

/** Entries that follow one another and are all in one month; one comes again when a clock goes back. */
interface Stretch {
  readonly first: number;
  readonly month: Month;
}

/** Tells in which month an entry is. What is once written about that never changes. */
export class ProofMonths {
  /** Rising. */
  #known: readonly Stretch[] = [];
  /** The newest entry for which that is known. */
  #upTo = 0;

  /** @param numbers Of proofs, rising */
  async split(database: Database, numbers: readonly number[]): Promise<EntriesOfMonth[]> {
    if (numbers.length === 0) return [];
    if (!isPostgres(database)) return [{ numbers, span: undefined }];
    const known = await this.#upToDate(database, numbers.at(-1) ?? 0);
    const byStretch = Map.groupBy(numbers, (number) => known.findLast(({ first }) => first <= number));
    return Array.from(byStretch, ([stretch, some]) => ({
      numbers: some,
      span: stretch && { from: startOf(stretch.month), to: startOf(stretch.month + 1) },
    }));
  }

  async #upToDate(database: Database, newest: number): Promise<readonly Stretch[]> {
    if (newest <= this.#upTo) return this.#known;
    const head = await database.selectFrom("journal_head").select("sequence").executeTakeFirstOrThrow();
    const known = await database.selectFrom("proof_months").select(["first_sequence as first", "month"]).orderBy("first_sequence").execute();
    // What a transaction has written can still be undone.
    if (!database.isTransaction) {
      this.#known = known;
      this.#upTo = head.sequence;
    }
    return known;
  }
}
