import { sql } from "kysely";
import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";
import type { Database } from "../engine/database.ts";
import { listOf } from "../engine/lists.ts";
import { GENESIS, GENESIS_DIGEST, type JournalHead } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { JournalRow, type StoredRow } from "./journal-row.ts";

/** The newest entry of a journal, and the number of proofs up to it. */
export interface CountedHead extends JournalHead {
  readonly proofs: number;
}

/** Entries that are read with one statement, as far as rows end there. */
const ENTRIES_AT_ONCE = 1_000;

const COLUMNS = [
  "first_sequence as first",
  "last_sequence as last",
  "proofs",
  "previous",
  "digest",
  "code",
  "body",
] as const;

/** Reads the newest entry, by the newest row. */
export async function readHead(database: Database): Promise<CountedHead> {
  const row = await database
    .selectFrom("entries")
    .select(["last_sequence as sequence", "digest", "proofs"])
    .orderBy("first_sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? { ...GENESIS, proofs: 0 };
}

/** Returns the sequence of the newest entry. */
export async function newestSequence(database: Database): Promise<number> {
  return (await readHead(database)).sequence;
}

/**
 * Reads the newest row; `undefined` for an empty journal.
 * @throws RangeError when it was not written with the key
 */
export async function newestRow(database: Database, key: JournalKey | undefined): Promise<JournalRow | undefined> {
  const row = await select(database).orderBy("first_sequence", "desc").limit(1).executeTakeFirst();
  return row && JournalRow.checked(key, row);
}

/**
 * Returns the rows of entries, each once, in order.
 * @throws RangeError when one is missing, or was not written with the key
 */
export async function rowsOf(
  database: Database,
  key: JournalKey | undefined,
  sequences: readonly number[],
): Promise<JournalRow[]> {
  const [first, ...others] = sequences;
  if (first === undefined) return [];
  const rows = others.length === 0 ? await rowsUpTo(database, first) : await rowsAmong(database, sequences);
  const found = rows.map((row) => JournalRow.checked(key, row));
  for (const sequence of sequences)
    if (rowWith(found, sequence) === undefined) throw new RangeError(`entry ${sequence} of the journal is missing`);
  return found;
}

/** Reads the row that begins last up to an entry: the cheapest way to a single entry. */
function rowsUpTo(database: Database, sequence: number): Promise<StoredRow[]> {
  return select(database).where("first_sequence", "<=", sequence).orderBy("first_sequence", "desc").limit(1).execute();
}

function rowsAmong(database: Database, sequences: readonly number[]): Promise<StoredRow[]> {
  const firsts = sql<number>`
    select (select max(first_sequence) from entries where first_sequence <= value)
    from (${listOf(database, sequences)}) as wanted`;
  return select(database)
    .where("first_sequence", "in", sql<number>`(${firsts})`)
    .orderBy("first_sequence")
    .execute();
}

/** Returns the row that has an entry, of rows in order. */
export function rowWith(rows: readonly JournalRow[], sequence: number): JournalRow | undefined {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.sequence ?? Infinity) < sequence) low = middle + 1;
    else high = middle;
  }
  const row = rows[low];
  return row?.has(sequence) === true ? row : undefined;
}

/**
 * Reads rows with entries after one, up to another, in order; at the end of the journal fewer.
 * @throws RangeError when one between is missing, or was not written with the key
 */
export async function* rowsBetween(
  database: Database,
  key: JournalKey | undefined,
  after: number,
  upTo: number,
): AsyncGenerator<JournalRow> {
  let at = after;
  let digest = after === 0 ? GENESIS_DIGEST : undefined;
  for await (const row of storedRows(database, after, upTo)) {
    if (row.first > at + 1) throw new RangeError(`entry ${at + 1} of the journal is missing`);
    if (row.first <= at && at > after) throw new RangeError(`entry ${row.first} of the journal is in two rows`);
    const checked = JournalRow.checked(key, row);
    if (digest !== undefined && !equalBytes(row.previous, digest))
      throw new RangeError(`the entries ${row.first} to ${row.last} do not follow those before them`);
    yield checked;
    at = row.last;
    digest = row.digest;
  }
}

/** Reads rows with entries after one, up to another, in order, as they are stored; some may be missing. */
export async function* storedRows(database: Database, after: number, upTo: number): AsyncGenerator<StoredRow> {
  let newest = Number.MIN_SAFE_INTEGER;
  for (let at: number | undefined = after; at !== undefined && at < upTo;) {
    const end = Math.min(upTo, at + ENTRIES_AT_ONCE);
    const rows = await select(database)
      .where("first_sequence", ">=", firstOfRow(database, at + 1))
      .where("first_sequence", "<=", end)
      .orderBy("first_sequence")
      .execute();
    for (const row of rows) {
      if (row.first <= newest || (row.first <= after && row.last <= after)) continue;
      yield row;
      newest = row.first;
      at = Math.max(at, row.last);
    }
    if (at < end) at = await beforeNextRow(database, end);
  }
}

/** The first entry of the row with an entry, or of the one before a gap; 0 without one. */
function firstOfRow(database: Database, sequence: number) {
  const firsts = database
    .selectFrom("entries as upto")
    .select(({ fn }) => fn.max("upto.first_sequence").as("first"))
    .where("upto.first_sequence", "<=", sequence);
  return sql<number>`coalesce(${firsts}, 0)`;
}

/** Returns the last entry before the next row; `undefined` at the end of the journal. */
async function beforeNextRow(database: Database, after: number): Promise<number | undefined> {
  const row = await database
    .selectFrom("entries")
    .select("first_sequence as first")
    .where("first_sequence", ">", after)
    .orderBy("first_sequence")
    .limit(1)
    .executeTakeFirst();
  return row && row.first - 1;
}

/**
 * Checks that a key is that of the journal.
 * @throws SealbookError `config_invalid`
 */
export async function assertKeyOf(database: Database, key: JournalKey, file: string): Promise<void> {
  for await (const row of storedRows(database, 0, 1)) {
    if (key.isCodeOf(row.code, row)) return;
    throw new SealbookError(
      "config_invalid",
      `${file} is not the key of this journal. Relayers of one journal have the same key: set JOURNAL_KEY_FILE`,
    );
  }
}

function select(database: Database) {
  return database.selectFrom("entries").select(COLUMNS);
}
