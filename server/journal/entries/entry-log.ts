import { nextDigest } from "../integrity/entry-chain.ts";
import type { Database } from "../engine/database.ts";
import { type JournalEntry, encodeEntry } from "./codec.ts";
import { mergeRecentKeys } from "../index/key-merge.ts";

/** An entry that was given its place, and the digest there. */
export interface Appended<Entry> {
  readonly entry: Entry;
  readonly digest: Uint8Array;
}

/** Does work in a transaction: the one that is under way, or one of its own. */
export function inTransaction<T>(database: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  return database.isTransaction ? work(database) : database.transaction().execute(work);
}

/**
 * Gives entries their places at the end of the journal and chains their digests. Transactions that write take turns,
 * so that nobody else can take the same places. The caller writes the entries, in the same transaction.
 */
export async function appendEntries<Entry extends JournalEntry>(
  transaction: Database,
  entries: readonly ((sequence: number) => Entry)[],
): Promise<Appended<Entry>[]> {
  if (entries.length === 0) return [];
  const head = await transaction
    .selectFrom("journal_head")
    .select(["sequence", "digest", "proofs"])
    .executeTakeFirstOrThrow();
  let { sequence, digest, proofs } = head;
  const appended = entries.map((entryAt) => {
    sequence += 1;
    const entry = entryAt(sequence);
    digest = nextDigest(digest, encodeEntry(entry));
    if (entry.kind === "proof") proofs += 1;
    return { entry, digest };
  });
  await transaction.updateTable("journal_head").set({ sequence, digest, proofs }).execute();
  await mergeRecentKeys(transaction, head.sequence, sequence);
  return appended;
}

/** The number of the newest entry. */
export async function newestSequence(database: Database): Promise<number> {
  const { sequence } = await database.selectFrom("journal_head").select("sequence").executeTakeFirstOrThrow();
  return sequence;
}
