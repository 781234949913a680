import { SealbookError } from "../../errors.ts";
import type { Database } from "../engine/database.ts";
import { nextDigest } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { encodeEntry, type JournalEntry, type ResolutionEntry } from "./codec.ts";
import { assertContinues } from "./continued.ts";
import { type CountedHead, readHead } from "./journal-rows.ts";
import { project } from "./project.ts";
import { packTexts } from "./row-body.ts";

/** Entries of a row: a look-up unpacks all of them. */
const ENTRIES_PER_ROW = 100;

/** Runs work in the current transaction, or in a new one. */
export function inTransaction<T>(database: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  return database.isTransaction ? work(database) : database.transaction().execute(work);
}

/**
 * Appends entries to the journal; inside a write transaction. Write transactions are serialized, so that no number is
 * assigned twice.
 * @param key `undefined` for a journal that was opened without one
 * @param entries Each gets the next sequence number
 * @throws SealbookError `config_invalid` without a key; `journal_damaged` when the journal does not continue what this
 * process has seen of it
 */
export async function appendEntries<Entry extends JournalEntry>(
  transaction: Database,
  key: JournalKey | undefined,
  entries: readonly ((sequence: number) => Entry)[],
): Promise<Entry[]> {
  if (entries.length === 0) return [];
  const before = await readHead(transaction);
  if (key !== undefined) await assertContinues(transaction, key, before);
  const appended = entries.map((entryAt, index) => entryAt(before.sequence + 1 + index));
  const texts = appended.map((entry) => encodeEntry(entry));
  const head = await appendTexts(transaction, key, before, appended, texts);
  key?.memory?.wrote(head);
  return appended;
}

/**
 * Writes the rows of entries after the newest one, and what they are found by.
 * @param texts The canonical texts of the entries
 * @returns the newest entry
 */
export async function appendTexts(
  transaction: Database,
  key: JournalKey | undefined,
  before: CountedHead,
  entries: readonly JournalEntry[],
  texts: readonly string[],
): Promise<CountedHead> {
  if (key === undefined) throw new SealbookError("config_invalid", "the journal was opened without its key");
  let head = before;
  const rows = [];
  for (let from = 0; from < texts.length; from += ENTRIES_PER_ROW) {
    const to = Math.min(texts.length, from + ENTRIES_PER_ROW);
    const row = rowAfter(head, entries.slice(from, to), texts.slice(from, to));
    const { first, last, ...rest } = row;
    rows.push({ first_sequence: first, last_sequence: last, ...rest, code: key.codeOf(row) });
    head = { sequence: last, digest: row.digest, proofs: row.proofs };
  }
  await transaction.insertInto("entries").values(rows).execute();
  await project(transaction, entries, before.sequence);
  return head;
}

function rowAfter(
  { sequence, digest: previous, proofs }: CountedHead,
  entries: readonly JournalEntry[],
  texts: string[],
) {
  return {
    first: sequence + 1,
    last: sequence + texts.length,
    proofs: proofs + entries.filter(({ kind }) => kind === "proof").length,
    previous,
    digest: texts.reduce<Uint8Array>((before, text) => nextDigest(before, text), previous),
    body: packTexts(texts),
  };
}

/** Appends one entry; inside a write transaction. Throws as {@link appendEntries} does. */
export async function appendEntry<Entry extends JournalEntry>(
  transaction: Database,
  key: JournalKey | undefined,
  entryAt: (sequence: number) => Entry,
): Promise<Entry> {
  const [entry] = await appendEntries(transaction, key, [entryAt]);
  if (entry === undefined) throw new RangeError("an entry was not appended");
  return entry;
}

/** Appends that an operator has looked into a divergence; inside a write transaction. */
export async function appendResolution(
  transaction: Database,
  key: JournalKey | undefined,
  resolution: Omit<ResolutionEntry, "sequence" | "kind">,
): Promise<void> {
  await appendEntry(transaction, key, (sequence) => ({ kind: "resolution" as const, sequence, ...resolution }));
}
