import { SealbookError } from "../../errors.ts";
import type { Database } from "../engine/database.ts";
import type { JournalEvents } from "../events.ts";
import type { JournalEntry, ProofEntry } from "./codec.ts";
import { entryOf, readEntries } from "./entry-source.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import type { JournalRow } from "./journal-row.ts";
import { newestRow, rowsOf, rowWith } from "./journal-rows.ts";

/** Maximum number of rows that a reader keeps. */
const MOST_ROWS = 64;

export interface EntryVerifierDeps {
  readonly database: Database;
  readonly key: JournalKey | undefined;
  readonly telemetry: Pick<JournalEvents, "journalDiverged">;
}

/** Reads entries that the server signs or answers for: a changed database must not change them. */
export class EntryVerifier {
  readonly #deps: EntryVerifierDeps;

  constructor(deps: EntryVerifierDeps) {
    this.#deps = deps;
  }

  /** Begins to read for one request. Each row is checked once in a request. */
  begin(): VerifiedEntries {
    return new VerifiedEntries(this.#deps);
  }
}

/**
 * Entries that a relayer has written. All methods throw SealbookError `journal_damaged`, and raise a divergence, for
 * changed ones.
 */
export class VerifiedEntries {
  readonly #deps: EntryVerifierDeps;
  /** The rows that were read last. */
  #rows: readonly JournalRow[] = [];

  constructor(deps: EntryVerifierDeps) {
    this.#deps = deps;
  }

  /** Returns the newest entry's number: no entry is after it. */
  async newest(): Promise<number> {
    const row = await newestRow(this.#deps.database, this.#deps.key).catch((error: unknown) => this.#fail(error));
    return row?.sequence ?? 0;
  }

  /** Returns an entry. */
  async entry(sequence: number): Promise<JournalEntry> {
    const [entry] = await this.entries([sequence]);
    return entry ?? this.damaged(`the journal has no entry ${sequence}, though it refers to it`);
  }

  /** Returns entries, in the order of the numbers. */
  async entries(sequences: readonly number[]): Promise<JournalEntry[]> {
    const kept = this.#rows;
    const unread = sequences.filter((sequence) => !kept.some((row) => row.has(sequence)));
    const read = await this.#read(unread);
    this.#rows = [...read, ...kept].slice(0, MOST_ROWS);
    return sequences.map((sequence) => {
      const row = rowWith(read, sequence) ?? kept.find((each) => each.has(sequence));
      if (row === undefined) return this.damaged(`the journal has no entry ${sequence}, though it refers to it`);
      try {
        return entryOf(sequence, row.text(sequence));
      } catch (error) {
        return this.#fail(error);
      }
    });
  }

  /** Returns the proofs after an entry, among at most `limit` entries: none is missing. */
  async proofsAfter(sequence: number, limit: number): Promise<{ proofs: ProofEntry[]; last: number | undefined }> {
    const count = Math.min(limit, (await this.newest()) - sequence);
    if (count <= 0) return { proofs: [], last: undefined };
    const { database, key } = this.#deps;
    const entries = await readEntries(database, key, sequence, count).catch((error: unknown) => this.#fail(error));
    if (entries.length < count) this.damaged(`entry ${sequence + entries.length + 1} of the journal is missing`);
    return { proofs: entries.filter((entry) => entry.kind === "proof"), last: sequence + count };
  }

  /** Raises a divergence and throws. */
  damaged(message: string): never {
    this.#deps.telemetry.journalDiverged("entries", message);
    throw new SealbookError(
      "journal_damaged",
      `${message}. Nothing is signed or confirmed from it until it is restored`,
    );
  }

  #read(sequences: readonly number[]): Promise<JournalRow[]> {
    const { database, key } = this.#deps;
    return rowsOf(database, key, sequences).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): never {
    if (error instanceof RangeError) this.damaged(error.message);
    throw error;
  }
}
