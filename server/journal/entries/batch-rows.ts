import type { Database } from "../engine/database.ts";
import { chunks } from "../engine/statement-cache.ts";
import type { ProofEntry } from "./codec.ts";
import { entryOf } from "./entry-source.ts";
import type { RowReader } from "./journal-rows.ts";

/** Records which row has proofs under which anchors; inside the transaction that appends the row. */
export async function insertBatchRows(
  transaction: Database,
  first: number,
  proofs: readonly Pick<ProofEntry, "anchor">[],
): Promise<void> {
  const rows = [...Map.groupBy(proofs, ({ anchor }) => anchor)].map(([anchor_id, some]) => ({
    anchor_id,
    first_sequence: first,
    proofs: some.length,
  }));
  for (const some of chunks(rows)) await transaction.insertInto("batch_rows").values(some).execute();
}

/**
 * Reads the proofs under an anchor, in the order of their entries.
 * @throws RangeError when a row of them is missing or was changed
 */
export async function proofsOfBatch(database: Database, reader: RowReader, anchor: number): Promise<ProofEntry[]> {
  const found = await database
    .selectFrom("batch_rows")
    .select("first_sequence as first")
    .where("anchor_id", "=", anchor)
    .orderBy("first_sequence")
    .execute();
  const rows = await reader.rowsOf(
    database,
    found.map(({ first }) => first),
  );
  return rows
    .flatMap((row) => row.lines())
    .map(({ sequence, text }) => entryOf(sequence, text))
    .filter((entry) => entry.kind === "proof")
    .filter((proof) => proof.anchor === anchor);
}
