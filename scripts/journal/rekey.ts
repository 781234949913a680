import type { Database } from "../../server/journal/engine/database.ts";
import { appendResolution } from "../../server/journal/entries/entry-log.ts";
import { appended, readHead, storedRows } from "../../server/journal/entries/journal-rows.ts";
import { type JournalKey, useJournalKey } from "../../server/journal/integrity/journal-key.ts";

/** How far the chain proves the journal. */
export interface ProvedExtent {
  /** The entry of the newest confirmed checkpoint; 0 without one. */
  readonly checkpoint: number;
  readonly newest: number;
}

/** Returns how much of a journal without findings is under a checkpoint on chain. */
export async function provedExtent(database: Database): Promise<ProvedExtent> {
  const row = await database
    .selectFrom("anchors")
    .select((e) => e.fn.max("checkpoint").as("checkpoint"))
    .where("confirmation", "is not", null)
    .executeTakeFirst();
  const { sequence } = await readHead(database);
  return { checkpoint: Number(row?.checkpoint ?? 0), newest: sequence };
}

/**
 * Writes all rows of a journal anew under another key, and an entry with the reason, in one transaction.
 * @param onKey Stores the key before the transaction ends
 * @param onEntries Receives the number of entries that are written
 */
export async function rekey(
  database: Database,
  key: JournalKey,
  {
    reason,
    extent,
    onKey,
    onEntries,
  }: {
    readonly reason: string;
    readonly extent: ProvedExtent;
    readonly onKey: () => Promise<void>;
    readonly onEntries: (done: number) => void;
  },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    for await (const row of storedRows(transaction, 0, extent.newest)) {
      const code = key.codeOf(appended(row));
      await transaction.updateTable("journal_rows").set({ code }).where("first_sequence", "=", row.first).execute();
      onEntries(row.last);
    }
    useJournalKey(database, key);
    await appendResolution(transaction, {
      divergence: `key: the journal's key was replaced; the chain proves the entries up to ${extent.checkpoint}`,
      reason,
      resolvedAt: Date.now(),
    });
    await onKey();
  });
}
