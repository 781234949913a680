import type { Database } from "../../server/journal/engine/database.ts";
import { appendEntries } from "../../server/journal/entries/entry-log.ts";
import { type JournalSource, journalSource } from "../../server/journal/entries/entry-source.ts";
import { rowsBetween } from "../../server/journal/entries/journal-rows.ts";
import type { StoredRow } from "../../server/journal/entries/journal-row.ts";
import { packTexts } from "../../server/journal/entries/row-body.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { KEY } from "./journal-key.ts";

/** A real journal with as many entries as a test wants. */
export class GrownJournal {
  readonly source: JournalSource;
  readonly #opened: TestDatabase;
  readonly #key: JournalKey;

  private constructor(opened: TestDatabase, key: JournalKey) {
    this.#opened = opened;
    this.#key = key;
    this.source = journalSource(opened.database, key);
  }

  static async open(key: JournalKey = KEY): Promise<GrownJournal> {
    return new GrownJournal(await openTestDatabase("sqlite"), key);
  }

  get database(): Database {
    return this.#opened.database;
  }

  /** Appends distinct entries with one commit; returns the newest. */
  async grow(count: number, text = "entry"): Promise<number> {
    const entries = await this.database.transaction().execute((transaction) =>
      appendEntries(
        transaction,
        this.#key,
        Array.from({ length: count }, () => (sequence: number) => ({
          kind: "resolution" as const,
          sequence,
          divergence: `${text} ${sequence}`,
          reason: "a test",
          resolved_at: sequence,
        })),
      ),
    );
    return entries.at(-1)?.sequence ?? 0;
  }

  async rows(): Promise<StoredRow[]> {
    const rows = rowsBetween(this.database, undefined, 0, Number.MAX_SAFE_INTEGER);
    return (await Array.fromAsync(rows)).map(({ stored }) => stored);
  }

  /** Replaces the texts of the row of an entry, as somebody without the key would. */
  async forge(sequence: number): Promise<void> {
    await this.database
      .updateTable("entries")
      .set({ body: packTexts(['{"forged":true}']) })
      .where("first_sequence", "<=", sequence)
      .where("last_sequence", ">=", sequence)
      .execute();
  }

  close(): Promise<void> {
    return this.#opened.close();
  }
}
