import { SealbookError } from "../../errors.ts";
import type { Database } from "../engine/database.ts";
import { inSnapshot } from "../engine/snapshot.ts";
import { GENESIS } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { notContinued } from "../integrity/memory.ts";
import type { JournalEntry } from "./codec.ts";
import { hasRowTo } from "./continued.ts";
import { entryOf, readEntries } from "./entry-source.ts";
import type { JournalRow } from "./journal-row.ts";
import { newestRow, rowsOf, rowWith } from "./journal-rows.ts";

/** Maximum number of rows that a reader keeps. */
const MOST_ROWS = 64;

export interface EntryVerifierDeps {
  readonly database: Database;
  readonly key: JournalKey | undefined;
  /** Takes what was found to be changed: a subject, and a message about it. */
  readonly onDamage?: (subject: string, message: string) => void;
  /** The relayer whose memory the key has. */
  readonly relayer?: string;
}

/** Reads entries that the server signs or answers for: a changed database must not change them. */
export class EntryVerifier {
  readonly #deps: EntryVerifierDeps;

  constructor(deps: EntryVerifierDeps) {
    this.#deps = deps;
  }

  /** Begins to read for one request. Each row is checked once in a request. */
  begin(): VerifiedEntries {
    return new VerifiedEntries(this.#deps, { rows: [] });
  }

  /** Returns a reader inside a transaction, or over another connection. */
  on(database: Database): EntryVerifier {
    return new EntryVerifier({ ...this.#deps, database });
  }
}

/**
 * Entries that a relayer has written, in a journal that continues what this process has seen. All methods throw
 * SealbookError `journal_damaged`, and report the damage, for changed ones.
 */
export class VerifiedEntries {
  readonly #deps: EntryVerifierDeps;
  /** The rows that the request has read last. */
  readonly #kept: { rows: readonly JournalRow[] };
  readonly #isSnapshot: boolean;

  constructor(deps: EntryVerifierDeps, kept: { rows: readonly JournalRow[] }, isSnapshot = false) {
    this.#deps = deps;
    this.#kept = kept;
    this.#isSnapshot = isSnapshot;
  }

  /** The database; inside a snapshot that of the snapshot. */
  get database(): Database {
    return this.#deps.database;
  }

  get key(): JournalKey | undefined {
    return this.#deps.key;
  }

  /**
   * Runs reads that belong together: no other copy of the journal can be put in place between them.
   * @param work Reads with its parameter only
   */
  async inSnapshot<T>(work: (reads: VerifiedEntries) => Promise<T>): Promise<T> {
    if (this.#isSnapshot) return work(this);
    const memory = this.#deps.key?.memory;
    // Read before the snapshot begins: it has everything that was on disk by then.
    let seen = memory?.newest;
    for (;;) {
      const result = await inSnapshot(this.#deps.database, async (database) => {
        if (seen !== undefined && !(await hasRowTo(database, seen))) return undefined;
        return { value: await work(new VerifiedEntries({ ...this.#deps, database }, this.#kept, true)) };
      });
      if (result !== undefined) return result.value;
      // An operator may have accepted this journal meanwhile.
      if (seen !== undefined && memory !== undefined && (await memory.readFile())) seen = memory.newest;
      else return this.#notContinued();
    }
  }

  /** Returns the newest entry's number: no entry is after it. */
  newest(): Promise<number> {
    return this.inSnapshot(async ({ database, key }) => {
      const row = await newestRow(database, key).catch((error: unknown) => this.#fail(error));
      return row?.sequence ?? 0;
    });
  }

  /** Returns an entry. */
  async entry(sequence: number): Promise<JournalEntry> {
    const [entry] = await this.entries([sequence]);
    return entry ?? this.#missing(sequence);
  }

  /** Returns entries, in the order of the numbers. */
  async entries(sequences: readonly number[]): Promise<JournalEntry[]> {
    if (sequences.length === 0) return [];
    return this.inSnapshot((reads) => reads.#entries(sequences));
  }

  /** Returns the entries before another one, oldest first, at most `limit`: none is missing. */
  entriesBefore(sequence: number, limit: number): Promise<JournalEntry[]> {
    return this.inSnapshot(async (reads) => {
      const last = Math.min(sequence - 1, await reads.newest());
      const count = Math.min(limit, last);
      if (count <= 0) return [];
      const { database, key } = reads;
      const before = last - count;
      const entries = await readEntries(database, key, before, count).catch((error: unknown) => this.#fail(error));
      if (entries.length < count) this.damaged(`entry ${before + entries.length + 1} of the journal is missing`);
      return entries;
    });
  }

  /** Reports damage. */
  report(message: string, subject = "entries"): void {
    this.#deps.onDamage?.(subject, message);
  }

  /** Reports damage and throws. */
  damaged(message: string, subject?: string): never {
    this.report(message, subject);
    throw new SealbookError(
      "journal_damaged",
      `${message}. Nothing is signed or confirmed from it until it is restored`,
    );
  }

  async #entries(sequences: readonly number[]): Promise<JournalEntry[]> {
    const kept = this.#kept.rows;
    const unread = sequences.filter((sequence) => !kept.some((row) => row.has(sequence)));
    const { database, key } = this.#deps;
    const read = await rowsOf(database, key, unread).catch((error: unknown) => this.#fail(error));
    this.#kept.rows = [...read, ...kept].slice(0, MOST_ROWS);
    return sequences.map((sequence) => {
      const row = rowWith(read, sequence) ?? kept.find((each) => each.has(sequence));
      if (row === undefined) return this.#missing(sequence);
      try {
        return entryOf(sequence, row.text(sequence));
      } catch (error) {
        return this.#fail(error);
      }
    });
  }

  #missing(sequence: number): never {
    return this.damaged(`the journal has no entry ${sequence}, though it refers to it`);
  }

  async #notContinued(): Promise<never> {
    const { key, relayer = "" } = this.#deps;
    const seen = key?.memory?.newest ?? GENESIS;
    // It is known after a restart as well, and an operator can accept the journal.
    await key?.memory?.store().catch(() => undefined);
    return this.damaged(notContinued(seen, `the relayer ${relayer}`), `head of ${relayer}`);
  }

  #fail(error: unknown): never {
    if (error instanceof RangeError) this.damaged(error.message);
    throw error;
  }
}
