import type { Database } from "../../server/journal/engine/database.ts";
import type { JournalEntry } from "../../server/journal/entries/codec.ts";
import type { Finding } from "./finding.ts";

/** Returns whether a batch has proofs in rows before one. */
export async function hasRowsBefore(database: Database, batch: number, first: number): Promise<boolean> {
  const row = await rowsOf(database, [batch]).where("first_sequence", "<", first).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Returns the batches that have proofs in rows after an entry. */
export async function withRowsAfter(
  database: Database,
  batches: readonly number[],
  sequence: number,
): Promise<ReadonlySet<number>> {
  if (batches.length === 0) return new Set();
  const rows = await rowsOf(database, batches).where("first_sequence", ">", sequence).execute();
  return new Set(rows.map(({ batch }) => batch));
}

/** Checks that the rows of batches are found: each row by each of its batches. */
export async function checkBatchRows(
  database: Database,
  rows: readonly { readonly first: number; readonly entries: readonly JournalEntry[] }[],
  report: (finding: Finding) => void,
): Promise<void> {
  const batches = new Set(rows.flatMap(({ entries }) => entries).flatMap(batchOf));
  if (batches.size === 0) return;
  const [oldest, newest] = [rows[0]?.first ?? 0, rows.at(-1)?.first ?? 0];
  const stored = await database
    .selectFrom("batch_rows")
    .select(["batch_id as batch", "first_sequence as first", "proofs"])
    .where("batch_id", "in", [...batches])
    .where("first_sequence", ">=", oldest)
    .where("first_sequence", "<=", newest)
    .execute();
  const counts = new Map(stored.map(({ batch, first, proofs }) => [`${batch} ${first}`, proofs]));
  for (const { first, entries } of rows) {
    for (const [batch, proofs] of Map.groupBy(entries.flatMap(batchOf), (each) => each)) {
      if (counts.get(`${batch} ${first}`) !== proofs.length)
        report({ kind: "batch_not_found", batch, sequence: first });
    }
  }
}

function batchOf(entry: JournalEntry): number[] {
  return entry.kind === "proof" ? [entry.batch] : [];
}

function rowsOf(database: Database, batches: readonly number[]) {
  return database.selectFrom("batch_rows").select("batch_id as batch").distinct().where("batch_id", "in", batches);
}
