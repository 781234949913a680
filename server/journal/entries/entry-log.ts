import { nextDigest } from "../integrity/entry-chain.ts";
import type { Database } from "../engine/database.ts";
import { type JournalEntry, encodeEntry, type Notice } from "./codec.ts";
import { writeNodes } from "./digest-nodes.ts";
import { readHead } from "./journal-head.ts";
import { insertRow } from "./journal-rows.ts";
import { mergeRecentKeys } from "../index/key-merge.ts";

/** An appended entry and its digest. */
export interface Appended<Entry> {
  readonly entry: Entry;
  readonly digest: Uint8Array;
}

/** Runs work in the current transaction, or in a new one. */
export function inTransaction<T>(database: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  return database.isTransaction ? work(database) : database.transaction().execute(work);
}

/**
 * Assigns the next sequence numbers to entries and chains their digests. Write transactions are serialized, so that no
 * number is assigned twice. The caller writes the rows in the same transaction.
 */
export async function appendEntries<Entry extends JournalEntry>(
  transaction: Database,
  entries: readonly ((sequence: number) => Entry)[],
): Promise<Appended<Entry>[]> {
  if (entries.length === 0) return [];
  const head = await readHead(transaction);
  let { sequence, digest, proofs } = head;
  const appended = entries.map((entryAt) => {
    sequence += 1;
    const entry = entryAt(sequence);
    digest = nextDigest(digest, encodeEntry(entry));
    if (entry.kind === "proof") proofs += 1;
    return { entry, digest };
  });
  await transaction.updateTable("journal_head").set({ sequence, digest, proofs }).execute();
  await insertRow(transaction, head, { sequence, digest });
  const digests = appended.map((each) => each.digest);
  await writeNodes(transaction, head.sequence, digests);
  await mergeRecentKeys(transaction, head.sequence, sequence);
  return appended;
}

/** Appends an entry about the server's own work; inside a write transaction. */
export async function appendNotice(transaction: Database, noticeAt: (sequence: number) => Notice): Promise<Notice> {
  const [appended] = await appendEntries(transaction, [noticeAt]);
  if (appended === undefined) throw new RangeError("an entry was not appended");
  const { entry, digest } = appended;
  await transaction
    .insertInto("notices")
    .values({ sequence: entry.sequence, text: encodeEntry(entry), digest })
    .execute();
  return entry;
}

/** Returns the sequence of the newest entry. */
export async function newestSequence(database: Database): Promise<number> {
  return (await readHead(database)).sequence;
}
