import type { Database } from "../../server/journal/engine/database.ts";
import { encodeEntry } from "../../server/journal/entries/codec.ts";
import { appendNotice } from "../../server/journal/entries/entry-log.ts";
import { readEntries } from "../../server/journal/entries/entry-rows.ts";
import { ENTRIES_PER_ROW, insertRow } from "../../server/journal/entries/journal-rows.ts";
import { follow, GENESIS, type JournalHead } from "../../server/journal/integrity/entry-chain.ts";
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
  const { sequence } = await database.selectFrom("journal_head").select("sequence").executeTakeFirstOrThrow();
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
  useJournalKey(database, key);
  await database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("journal_rows").execute();
    for (let at: JournalHead = GENESIS; at.sequence < extent.newest;) {
      const before = at;
      for (const { entry } of await readEntries(transaction, before.sequence, ENTRIES_PER_ROW)) {
        const next = follow(at, { sequence: entry.sequence, text: encodeEntry(entry) });
        if (next === undefined) throw new RangeError(`entry ${at.sequence + 1} of the journal is missing`);
        at = next;
      }
      if (at === before) throw new RangeError(`entry ${at.sequence + 1} of the journal is missing`);
      await insertRow(transaction, before, at);
      onEntries(at.sequence);
    }
    await appendNotice(transaction, (sequence) => ({
      kind: "resolution",
      sequence,
      divergence: `key: the journal's key was replaced; the chain proves the entries up to ${extent.checkpoint}`,
      reason,
      resolvedAt: Date.now(),
    }));
    await onKey();
  });
}
