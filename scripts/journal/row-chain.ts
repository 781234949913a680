import type { JournalEntry } from "../../server/journal/entries/codec.ts";
import { entryOf } from "../../server/journal/entries/entry-source.ts";
import { JournalRow, type StoredRow } from "../../server/journal/entries/journal-row.ts";
import { follow, type JournalHead, type JournalLine } from "../../server/journal/integrity/entry-chain.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { equalBytes } from "../../server/kit/bytes.ts";
import type { Finding } from "./finding.ts";

/** The entries of a row. */
export interface FollowedRow {
  readonly first: number;
  readonly lines: readonly JournalLine[];
  /** Whether they are what a relayer has written. */
  readonly isIntact: boolean;
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

  /** Follows the next row; returns its entries after those before, as far as they can be read. */
  next(row: StoredRow): FollowedRow {
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
    return { first: row.first, lines, isIntact };
  }

  /** Ends at the entry that was the newest one at the start, according to the newest row. */
  end({ sequence, digest }: JournalHead): void {
    const { sequence: reached, digest: computed } = this.#at;
    if (sequence > reached) this.#report({ kind: "entry_missing", sequence: reached + 1, last: sequence });
    else if (!equalBytes(digest, computed)) this.#report({ kind: "row_changed", sequence, last: sequence });
  }

  #read(row: StoredRow): { lines: readonly JournalLine[]; isWritten: boolean } | undefined {
    const lines = readable(this.#key, row);
    if (lines !== undefined) return { lines, isWritten: true };
    const changed = readable(undefined, row);
    return changed && { lines: changed, isWritten: false };
  }
}

/** Returns the entries of a row that may have been changed, as far as they can be read. */
export function entriesOf(row: StoredRow): JournalEntry[] {
  return (readable(undefined, row) ?? []).flatMap(({ sequence, text }) => {
    const entry = entryIn(sequence, text);
    return entry === undefined ? [] : [entry];
  });
}

/** Returns the lines of a row; `undefined` when it was changed. */
function readable(key: JournalKey | undefined, row: StoredRow): readonly JournalLine[] | undefined {
  return unlessChanged(() => JournalRow.checked(key, row).lines());
}

/** Decodes an entry; `undefined` when the text is not that of one with this number. */
export function entryIn(sequence: number, text: string): JournalEntry | undefined {
  return unlessChanged(() => entryOf(sequence, text));
}

function unlessChanged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
