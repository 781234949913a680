import type { Database } from "../engine/database.ts";
import { GENESIS, GENESIS_DIGEST, type JournalHead } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { decodeEntry, type JournalEntry } from "./codec.ts";
import type { JournalRow } from "./journal-row.ts";
import { assertContinues } from "./continued.ts";
import { newestRow, readHead, rowsBetween, rowsOf } from "./journal-rows.ts";

/** The entries of the journal, in their rows. */
export interface JournalSource {
  /** Returns the newest entry; sequence 0 with {@link GENESIS_DIGEST} before the first one. */
  head(): Promise<JournalHead>;
  /**
   * Returns the newest entry as a relayer has written it, of a journal that continues what this process has seen.
   * Inside a write transaction.
   * @throws RangeError when its row was changed; SealbookError `journal_damaged` when the journal does not continue it
   */
  ownHead(): Promise<JournalHead>;
  /**
   * Reads the rows with entries after one, in order.
   * @throws RangeError when one is missing or was changed
   */
  rows(after: number): AsyncIterable<JournalRow>;
  /**
   * Returns the digest of the journal up to an entry, {@link GENESIS_DIGEST} for 0; `undefined` for an entry that does
   * not exist.
   * @throws RangeError when the row of the entry is missing or was changed
   */
  digestAt(sequence: number): Promise<Uint8Array | undefined>;
}

/** Reads the journal from its database. */
export function journalSource(database: Database, key: JournalKey | undefined): JournalSource {
  const digestAt = async (sequence: number): Promise<Uint8Array | undefined> => {
    if (sequence === 0) return GENESIS_DIGEST;
    if (sequence > (await readHead(database)).sequence) return undefined;
    const [row] = await rowsOf(database, key, [sequence]);
    if (row === undefined) throw new RangeError(`entry ${sequence} of the journal is missing`);
    return row.sequence === sequence ? row.digest : row.digestAt(sequence);
  };
  return {
    async head() {
      const { sequence, digest } = await readHead(database);
      return { sequence, digest };
    },
    async ownHead() {
      const row = await newestRow(database, key);
      const head = row === undefined ? GENESIS : { sequence: row.sequence, digest: row.digest };
      if (key !== undefined) await assertContinues(database, key, head);
      return head;
    },
    rows: (after) => rowsBetween(database, key, after, Number.MAX_SAFE_INTEGER),
    digestAt,
  };
}

/**
 * Reads entries after one, in order, at most `limit` of them.
 * @throws RangeError when one is missing or was changed
 */
export async function readEntries(
  database: Database,
  key: JournalKey | undefined,
  after: number,
  limit: number,
): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const row of rowsBetween(database, key, after, after + limit)) {
    for (const { sequence, text } of row.lines())
      if (sequence > after && sequence <= after + limit) entries.push(entryOf(sequence, text));
  }
  return entries;
}

/**
 * Decodes an entry.
 * @throws RangeError when the text is not that of an entry with this number
 */
export function entryOf(sequence: number, text: string): JournalEntry {
  const entry = decoded(text);
  if (entry?.sequence === sequence) return entry;
  throw new RangeError(`entry ${sequence} of the journal is not one`);
}

function decoded(text: string): JournalEntry | undefined {
  try {
    return decodeEntry(text);
  } catch {
    return undefined;
  }
}
