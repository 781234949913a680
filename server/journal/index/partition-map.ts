import { readHead } from "../entries/journal-head.ts";
import type { Database } from "../engine/database.ts";
import { addPartition, type Month, monthOf, startOf } from "./partitions.ts";
import { isPostgres } from "../engine/migrations/portable-schema.ts";

/** Months after the current one whose partitions exist ahead of time. */
const MONTHS_AHEAD = 2;

/** Creates the partitions of the coming months. */
export async function createPartitions(database: Database, now: number): Promise<void> {
  if (!isPostgres(database)) return;
  const current = monthOf(now);
  await database.transaction().execute(async (transaction) => {
    for (let month = current; month <= current + MONTHS_AHEAD; month += 1) await addPartition(transaction, month);
  });
}

/** Entries of one partition. */
export interface PartitionEntries {
  readonly numbers: readonly number[];
  /** Unix milliseconds; `to` is exclusive. */
  readonly span: { readonly from: number; readonly to: number } | undefined;
}

/** A run of entries in one month; a month can have several when a clock goes back. */
interface MonthRange {
  readonly first: number;
  readonly month: Month;
}

/** Maps entries to partitions. The mapping of an entry never changes. */
export class PartitionMap {
  /** Ascending. */
  #known: readonly MonthRange[] = [];
  /** The newest mapped entry. */
  #upTo = 0;

  /** @param numbers Sequence numbers of proofs, ascending */
  async split(database: Database, numbers: readonly number[]): Promise<PartitionEntries[]> {
    if (numbers.length === 0) return [];
    if (!isPostgres(database)) return [{ numbers, span: undefined }];
    const known = await this.#upToDate(database, numbers.at(-1) ?? 0);
    const bySpan = Map.groupBy(numbers, (number) => known.findLast(({ first }) => first <= number));
    return Array.from(bySpan, ([span, some]) => ({
      numbers: some,
      span: span && { from: startOf(span.month), to: startOf(span.month + 1) },
    }));
  }

  async #upToDate(database: Database, newest: number): Promise<readonly MonthRange[]> {
    if (newest <= this.#upTo) return this.#known;
    const head = await readHead(database);
    const known = await database
      .selectFrom("proof_months")
      .select(["first_sequence as first", "month"])
      .orderBy("first_sequence")
      .execute();
    // The writes of the current transaction can be rolled back.
    if (!database.isTransaction) {
      this.#known = known;
      this.#upTo = head.sequence;
    }
    return known;
  }
}
