import { type CompiledQuery, sql } from "kysely";
import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";
import type { Database } from "../engine/database.ts";
import { paddedChunks, StatementCache } from "../engine/statement-cache.ts";
import { follow, GENESIS, GENESIS_DIGEST, type JournalHead, type JournalLine } from "../integrity/entry-chain.ts";
import { type AppendedRow, type JournalKey, journalKeyOf, keyToCheckWith } from "../integrity/journal-key.ts";
import { PackedTexts, packTexts } from "./row-body.ts";

/** The newest entry of a journal, and the number of proofs up to it. */
export interface CountedHead extends JournalHead {
  readonly proofs: number;
}

/** A row as it is stored. */
export interface StoredRow extends Omit<AppendedRow, "previous"> {
  /** The digest of the row before; `null` when there is none. */
  readonly previous: Uint8Array | null;
  readonly code: Uint8Array;
}

/** Entries of a row that a command writes. */
export const ENTRIES_PER_ROW = 1_000;
/** Entries that are read with one statement, as far as rows end there. */
const ENTRIES_AT_ONCE = 1_000;

const COLUMNS = ["first_sequence as first", "last_sequence as last", "proofs", "digest", "code", "body"] as const;

/** A write to the journal: the entries as texts, and the digest up to the last one. Rows follow without gaps. */
export class JournalRow implements JournalHead {
  readonly #row: AppendedRow;
  readonly #texts: PackedTexts;

  /** @throws RangeError when the row was changed */
  constructor(row: AppendedRow) {
    this.#row = row;
    this.#texts = new PackedTexts(row.body);
  }

  /** The entry before the first one. */
  get previous(): JournalHead {
    return { sequence: this.#row.first - 1, digest: this.#row.previous };
  }

  /** The last entry. */
  get sequence(): number {
    return this.#row.last;
  }

  get digest(): Uint8Array {
    return this.#row.digest;
  }

  /**
   * The entries, in order.
   * @throws RangeError when the row was changed
   */
  lines(): JournalLine[] {
    const texts = this.#texts.all();
    if (texts.length !== this.sequence - this.previous.sequence) throw this.#changed();
    return texts.map((text, index) => ({ sequence: this.#row.first + index, text }));
  }

  /**
   * The text of an entry.
   * @throws RangeError when the row does not have it
   */
  text(sequence: number): string {
    const { first, last } = this.#row;
    const text = sequence < first || sequence > last ? undefined : this.#texts.at(sequence - first);
    if (text === undefined) throw this.#changed();
    return text;
  }

  /**
   * Computes the digest of the row, or up to one of its entries.
   * @throws RangeError when the entries do not give the digest of the row
   */
  digestAt(sequence: number = this.sequence): Uint8Array {
    let at = this.previous;
    let found: Uint8Array | undefined;
    for (const line of this.lines()) {
      at = follow(at, line) ?? at;
      if (at.sequence === sequence) found = at.digest;
    }
    if (found === undefined || !equalBytes(at.digest, this.digest)) throw this.#changed();
    return found;
  }

  #changed(): RangeError {
    return new RangeError(`the entries ${this.#row.first} to ${this.#row.last} of the journal were changed`);
  }
}

/** Reads the newest entry, by the newest row. */
export async function readHead(database: Database): Promise<CountedHead> {
  const row = await database
    .selectFrom("journal_rows")
    .select(["last_sequence as sequence", "digest", "proofs"])
    .orderBy("first_sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? { ...GENESIS, proofs: 0 };
}

/**
 * Reads the newest row; `undefined` for an empty journal.
 * @throws RangeError when it was not written with the journal's key
 */
export async function newestRow(database: Database): Promise<JournalRow | undefined> {
  const row = await select(database).orderBy("first_sequence", "desc").limit(1).executeTakeFirst();
  return row && checked(keyToCheckWith(database), row);
}

/** Writes the row of entries that are appended; inside the transaction that appends them. */
export async function insertRow(
  transaction: Database,
  { sequence, digest: previous }: JournalHead,
  { digest, proofs }: Pick<CountedHead, "digest" | "proofs">,
  texts: readonly string[],
): Promise<void> {
  const [first, last] = [sequence + 1, sequence + texts.length];
  const body = packTexts(texts);
  const code = journalKeyOf(transaction).codeOf({ first, last, proofs, previous, digest, body });
  await transaction
    .insertInto("journal_rows")
    .values({ first_sequence: first, last_sequence: last, proofs, digest, code, body })
    .execute();
}

/** Reads rows by the numbers of entries, and checks that relayers have written them. */
export class RowReader {
  readonly #statements = new StatementCache<StoredRow>();

  /**
   * Returns the rows of entries, each once, in order.
   * @throws RangeError when one is missing, or was not written with the journal's key
   */
  async rowsOf(database: Database, sequences: readonly number[]): Promise<JournalRow[]> {
    const key = keyToCheckWith(database);
    const found = new Map<number, JournalRow>();
    for (const some of paddedChunks(sequences)) {
      const query = this.#statements.of(some.length, () => rowsOfEntries(database, some.length), some);
      for (const row of (await database.executeQuery(query)).rows)
        if (!found.has(row.first)) found.set(row.first, checked(key, row));
    }
    return [...found.values()].sort((a, b) => a.sequence - b.sequence);
  }
}

/** The rows with the largest first entries up to some numbers. */
function rowsOfEntries(database: Database, count: number): CompiledQuery<StoredRow> {
  const numbers = Array.from({ length: count }, () => sql`(cast(${0} as bigint))`);
  return database
    .with("wanted(number)", () => sql<{ number: number }>`(values ${sql.join(numbers)})`)
    .with("firsts", (e) =>
      e
        .selectFrom("wanted")
        .select((each) =>
          each
            .selectFrom("journal_rows as upto")
            .select(({ fn }) => fn.max("upto.first_sequence").as("first"))
            .whereRef("upto.first_sequence", "<=", "wanted.number")
            .as("first"),
        )
        .distinct(),
    )
    .selectFrom("firsts")
    .innerJoin("journal_rows", "journal_rows.first_sequence", "firsts.first")
    .select(COLUMNS)
    .select(previousDigest(database).as("previous"))
    .compile();
}

/**
 * Reads rows with entries after one, up to another, in order; at the end of the journal fewer.
 * @throws RangeError when one between is missing, or was not written with the journal's key
 */
export async function* rowsBetween(database: Database, after: number, upTo: number): AsyncGenerator<JournalRow> {
  const key = keyToCheckWith(database);
  let at = after;
  for await (const row of storedRows(database, after, upTo)) {
    if (row.first > at + 1) throw new RangeError(`entry ${at + 1} of the journal is missing`);
    if (row.first <= at && at > after) throw new RangeError(`entry ${row.first} of the journal is in two rows`);
    yield checked(key, row);
    at = row.last;
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
    .selectFrom("journal_rows as upto")
    .select(({ fn }) => fn.max("upto.first_sequence").as("first"))
    .where("upto.first_sequence", "<=", sequence);
  return sql<number>`coalesce(${firsts}, 0)`;
}

/** Returns the last entry before the next row; `undefined` at the end of the journal. */
async function beforeNextRow(database: Database, after: number): Promise<number | undefined> {
  const row = await database
    .selectFrom("journal_rows")
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
    if (key.isCodeOf(row.code, appended(row))) return;
    throw new SealbookError(
      "config_invalid",
      `${file} is not the key of this journal. Relayers of one journal have the same key: set JOURNAL_KEY_FILE`,
    );
  }
}

/**
 * Checks that a row was written with a key.
 * @param key `undefined`: the row is taken as it is
 * @throws RangeError when it was not
 */
export function checked(key: JournalKey | undefined, row: StoredRow): JournalRow {
  const written = appended(row);
  if (key?.isCodeOf(row.code, written) === false)
    throw new RangeError(
      `the entries ${row.first} to ${row.last} of the journal were not written by a relayer, or were changed`,
    );
  return new JournalRow(written);
}

/**
 * Returns what was appended with a row.
 * @throws RangeError when a row before is missing, or there is one before the first entry
 */
export function appended({ previous, ...row }: StoredRow): AppendedRow {
  if ((previous === null) !== (row.first === 1))
    throw new RangeError(`entry ${row.first - 1} of the journal is missing`);
  return { ...row, previous: previous ?? GENESIS_DIGEST };
}

function select(database: Database) {
  return database.selectFrom("journal_rows").select(COLUMNS).select(previousDigest(database).as("previous"));
}

/** The digest of the row before. */
function previousDigest(database: Database) {
  return (
    database
      .selectFrom("journal_rows as before")
      .select("before.digest")
      .where("before.first_sequence", "<", sql.ref<number>("journal_rows.first_sequence"))
      .orderBy("before.first_sequence", "desc")
      // No parameter: a cached statement gets the numbers of entries only.
      .limit(sql.lit(1))
  );
}
