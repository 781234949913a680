import { equalBytes } from "../../kit/bytes.ts";
import type { JournalEntry } from "../entries/codec.ts";
import { entryOf } from "../entries/entry-source.ts";
import { JournalRow, type StoredRow } from "../entries/journal-row.ts";
import { follow, type JournalHead, type JournalLine } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import type { Finding } from "./finding.ts";

/** A row that was checked. */
export interface CheckedRow {
  /** The entry before those. */
  readonly before: JournalHead;
  /** The entries that can be read, after those that were checked before. */
  readonly lines: readonly JournalLine[];
  readonly entries: readonly JournalEntry[];
}

/** Follows the rows of the journal: none is missing, and each gives its digest and its code. */
export class RowChain {
  readonly #key: JournalKey | undefined;
  readonly #report: (finding: Finding) => void;
  readonly #start: number;
  #at: JournalHead;

  /** @param key `undefined`: rows have to give their digests only */
  constructor(start: JournalHead, key: JournalKey | undefined, report: (finding: Finding) => void) {
    this.#at = start;
    this.#start = start.sequence;
    this.#key = key;
    this.#report = report;
  }

  /** The newest entry that was followed, with the digest that its row has. */
  get at(): JournalHead {
    return this.#at;
  }

  /** Follows the next row. */
  next(row: StoredRow): CheckedRow {
    const before = this.#at.sequence;
    if (row.first > before + 1) this.#report({ kind: "entry_missing", sequence: before + 1, last: row.first - 1 });
    const start = row.first > before + 1 ? { sequence: row.first - 1, digest: row.previous } : this.#at;
    const isTwice = row.first <= before && before > this.#start;
    if (row.last > before) this.#at = { sequence: row.last, digest: row.digest };
    const read = this.#read(row);
    const lines = (read?.lines ?? []).filter(({ sequence }) => sequence > start.sequence);
    const end = lines.reduce((at, line) => follow(at, line) ?? at, start);
    const isWhole = end.sequence === row.last && equalBytes(end.digest, row.digest);
    const follows = row.first !== start.sequence + 1 || equalBytes(row.previous, start.digest);
    const isIntact = !isTwice && follows && read?.isWritten === true && isWhole;
    if (!isIntact) this.#report({ kind: "row_changed", sequence: row.first, last: row.last });
    return { before: start, lines, entries: this.#decoded(lines, isIntact) };
  }

  /** Ends at the entry that was the newest one at the start, according to the newest row. */
  end({ sequence, digest }: JournalHead): void {
    const { sequence: reached, digest: computed } = this.#at;
    if (sequence > reached) this.#report({ kind: "entry_missing", sequence: reached + 1, last: sequence });
    else if (!equalBytes(digest, computed)) this.#report({ kind: "row_changed", sequence, last: sequence });
  }

  /** Decodes entries; one whose text is none was changed. */
  #decoded(lines: readonly JournalLine[], isIntact: boolean): JournalEntry[] {
    return lines.flatMap(({ sequence, text }) => {
      const entry = unlessChanged(() => entryOf(sequence, text));
      if (entry !== undefined) return [entry];
      if (isIntact) this.#report({ kind: "row_changed", sequence, last: sequence });
      return [];
    });
  }

  #read(row: StoredRow): { lines: readonly JournalLine[]; isWritten: boolean } | undefined {
    const lines = readable(this.#key, row);
    if (lines !== undefined) return { lines, isWritten: true };
    const changed = readable(undefined, row);
    return changed && { lines: changed, isWritten: false };
  }
}

/** Returns the lines of a row; `undefined` when it was changed. */
function readable(key: JournalKey | undefined, row: StoredRow): readonly JournalLine[] | undefined {
  return unlessChanged(() => JournalRow.checked(key, row).lines());
}

function unlessChanged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
