import { equalBytes } from "../../kit/bytes.ts";
import { follow, type JournalHead, type JournalLine } from "../integrity/entry-chain.ts";
import type { EntryRow, JournalKey } from "../integrity/journal-key.ts";
import { unpackTexts } from "./row-body.ts";

/** A row as it is stored. */
export interface StoredRow extends EntryRow {
  /** The authentication code, by the journal's key. */
  readonly code: Uint8Array;
}

/** A row of the journal, which was checked: its entries as texts, and the digest up to the last one. */
export class JournalRow implements JournalHead {
  readonly #row: StoredRow;
  #texts: readonly string[] | undefined;

  private constructor(row: StoredRow) {
    this.#row = row;
  }

  /**
   * Checks that a row was written with a key.
   * @param key `undefined`: the row is taken as it is
   * @throws RangeError when it was not
   */
  static checked(key: JournalKey | undefined, row: StoredRow): JournalRow {
    if (key?.isCodeOf(row.code, row) === false)
      throw new RangeError(
        `the entries ${row.first} to ${row.last} of the journal were not written by a relayer, or were changed`,
      );
    return new JournalRow(row);
  }

  /** The row as it is stored. */
  get stored(): StoredRow {
    return this.#row;
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

  /** Number of proofs in the journal up to the last entry. */
  get proofs(): number {
    return this.#row.proofs;
  }

  has(sequence: number): boolean {
    return sequence >= this.#row.first && sequence <= this.#row.last;
  }

  /**
   * The entries, in order.
   * @throws RangeError when the row was changed
   */
  lines(): JournalLine[] {
    return this.#unpacked().map((text, index) => ({ sequence: this.#row.first + index, text }));
  }

  /**
   * The text of an entry.
   * @throws RangeError when the row does not have it
   */
  text(sequence: number): string {
    const text = this.has(sequence) ? this.#unpacked()[sequence - this.#row.first] : undefined;
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

  #unpacked(): readonly string[] {
    const texts = (this.#texts ??= unpackTexts(this.#row.body));
    if (texts.length !== this.sequence - this.previous.sequence) throw this.#changed();
    return texts;
  }

  #changed(): RangeError {
    return new RangeError(`the entries ${this.#row.first} to ${this.#row.last} of the journal were changed`);
  }
}
