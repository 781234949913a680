import { SealbookError } from "../../errors.ts";
import type { Database } from "../engine/database.ts";
import { GENESIS, type JournalHead } from "../integrity/entry-chain.ts";
import { type JournalKey, journalKeyOf } from "../integrity/journal-key.ts";

/** A row: what one write appended, up to an entry and its digest. Rows follow each other without gaps. */
export interface JournalRow extends JournalHead {
  /** The entry before the first one. */
  readonly previous: JournalHead;
}

interface StoredRow {
  readonly first: number;
  readonly last: number;
  readonly digest: Uint8Array;
  readonly code: Uint8Array;
}

/** Entries of a row that is written by a command: reading one of them reads all. */
export const ENTRIES_PER_ROW = 100;

/** Writes the row of entries that were appended; inside the transaction that appends them. */
export async function insertRow(transaction: Database, before: JournalHead, after: JournalHead): Promise<void> {
  const range = {
    first: before.sequence + 1,
    last: after.sequence,
    previous: before.digest,
    digest: after.digest,
  };
  await transaction
    .insertInto("journal_rows")
    .values({
      first_sequence: range.first,
      last_sequence: range.last,
      digest: range.digest,
      code: journalKeyOf(transaction).codeOf(range),
    })
    .execute();
}

/**
 * Reads the rows that have entries after one, up to another, and checks that relayers have written them.
 * @throws RangeError when a row is missing, or was not written with the journal's key
 */
export async function rowsBetween(database: Database, after: number, upTo: number): Promise<JournalRow[]> {
  if (upTo <= after) return [];
  const start = await select(database)
    .where("first_sequence", "<=", after + 1)
    .orderBy("first_sequence", "desc")
    .limit(2)
    .execute();
  const following = await select(database)
    .where("first_sequence", ">", after + 1)
    .where("first_sequence", "<=", upTo)
    .orderBy("first_sequence")
    .execute();
  const [covering, before] = start;
  if (covering === undefined) throw missing(after + 1);
  const rows = checked(journalKeyOf(database), before, [covering, ...following]);
  if ((rows.at(-1)?.sequence ?? 0) < upTo) throw missing(upTo);
  return rows;
}

function select(database: Database) {
  return database
    .selectFrom("journal_rows")
    .select(["first_sequence as first", "last_sequence as last", "digest", "code"]);
}

/** @param before The row before; `undefined` before the first one */
function checked(key: JournalKey, before: StoredRow | undefined, rows: readonly StoredRow[]): JournalRow[] {
  let previous = before === undefined ? GENESIS : { sequence: before.last, digest: before.digest };
  return rows.map(({ first, last, digest, code }) => {
    if (first !== previous.sequence + 1) throw missing(previous.sequence + 1);
    if (!key.isCodeOf(code, { first, last, previous: previous.digest, digest }))
      throw new RangeError(`the entries from ${first} on were not written by a relayer, or were changed`);
    const row = { previous, sequence: last, digest };
    previous = { sequence: last, digest };
    return row;
  });
}

function missing(sequence: number): RangeError {
  return new RangeError(`entry ${sequence} of the journal has no row that a relayer has written`);
}

/**
 * Checks that a key is that of the journal.
 * @throws SealbookError `config_invalid`
 */
export async function assertKeyOf(database: Database, key: JournalKey, file: string): Promise<void> {
  const first = await select(database).orderBy("first_sequence").limit(1).executeTakeFirst();
  if (first === undefined || key.isCodeOf(first.code, { ...first, previous: GENESIS.digest })) return;
  throw new SealbookError(
    "config_invalid",
    `${file} is not the key of this journal. Relayers of one journal have the same key: set JOURNAL_KEY_FILE`,
  );
}
