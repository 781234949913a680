import type { Database } from "../engine/database.ts";
import { mergeRecentKeys } from "../index/key-merge.ts";
import { nextDigest } from "../integrity/entry-chain.ts";
import { insertBatchRows } from "./batch-rows.ts";
import { encodeEntry, type JournalEntry, type ResolutionEntry } from "./codec.ts";
import { type CountedHead, insertRow, readHead } from "./journal-rows.ts";

/** Runs work in the current transaction, or in a new one. */
export function inTransaction<T>(database: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  return database.isTransaction ? work(database) : database.transaction().execute(work);
}

/**
 * Appends entries as one row of the journal; inside a write transaction. Write transactions are serialized, so that no
 * number is assigned twice.
 * @param entries Each gets the next sequence number
 */
export async function appendEntries<Entry extends JournalEntry>(
  transaction: Database,
  entries: readonly ((sequence: number) => Entry)[],
): Promise<Entry[]> {
  if (entries.length === 0) return [];
  const before = await readHead(transaction);
  const appended = entries.map((entryAt, index) => entryAt(before.sequence + 1 + index));
  await appendRow(
    transaction,
    before,
    appended,
    appended.map((entry) => encodeEntry(entry)),
  );
  return appended;
}

/**
 * Writes the row of entries after the newest one, and what its proofs are found by.
 * @param texts The canonical texts of the entries
 * @returns the newest entry
 */
export async function appendRow(
  transaction: Database,
  before: CountedHead,
  entries: readonly JournalEntry[],
  texts: readonly string[],
): Promise<CountedHead> {
  const digest = texts.reduce<Uint8Array>((previous, text) => nextDigest(previous, text), before.digest);
  const proofs = entries.filter((entry) => entry.kind === "proof");
  const head = { sequence: before.sequence + texts.length, digest, proofs: before.proofs + proofs.length };
  await insertRow(transaction, before, head, texts);
  await insertBatchRows(transaction, before.sequence + 1, proofs);
  await mergeRecentKeys(transaction, before.sequence, head.sequence);
  return head;
}

/** Appends one entry; inside a write transaction. */
export async function appendEntry<Entry extends JournalEntry>(
  transaction: Database,
  entryAt: (sequence: number) => Entry,
): Promise<Entry> {
  const [entry] = await appendEntries(transaction, [entryAt]);
  if (entry === undefined) throw new RangeError("an entry was not appended");
  return entry;
}

/** Appends that an operator has looked into a divergence; inside a write transaction. */
export async function appendResolution(
  transaction: Database,
  resolution: Omit<ResolutionEntry, "sequence">,
): Promise<void> {
  const { sequence } = await appendEntry(transaction, (next) => ({
    kind: "resolution" as const,
    sequence: next,
    ...resolution,
  }));
  await transaction.insertInto("resolutions").values({ sequence }).execute();
}

/** Returns the sequence of the newest entry. */
export async function newestSequence(database: Database): Promise<number> {
  return (await readHead(database)).sequence;
}
