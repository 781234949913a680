import { GENESIS_DIGEST, type JournalLine, nextDigest } from "../../server/journal/integrity/entry-chain.ts";
import type { JournalSource } from "../../server/journal/entries/entry-source.ts";

/** A journal in memory with entries of a test. */
export class MemoryJournal implements JournalSource {
  readonly #texts: string[] = [];
  readonly #digests: Uint8Array[] = [GENESIS_DIGEST];
  /** The maximum entries of each read. */
  readonly limits: number[] = [];

  add(...texts: readonly string[]): this {
    for (const text of texts) {
      this.#digests.push(nextDigest(this.#digests.at(-1) ?? GENESIS_DIGEST, text));
      this.#texts.push(text);
    }
    return this;
  }

  /** Adds distinct entries. */
  grow(count: number, name = "entry"): this {
    const from = this.#texts.length;
    return this.add(...Array.from({ length: count }, (_, index) => JSON.stringify({ [name]: from + index + 1 })));
  }

  /** Replaces the text of an entry without its digest, to simulate tampering. */
  forge(sequence: number, text: string): void {
    this.#texts[sequence - 1] = text;
  }

  get lineList(): JournalLine[] {
    return this.#texts.map((text, index) => ({ sequence: index + 1, text }));
  }

  async head(): Promise<{ sequence: number; digest: Uint8Array }> {
    return { sequence: this.#texts.length, digest: this.#digests.at(-1) ?? GENESIS_DIGEST };
  }

  async lines(after: number, limit: number): Promise<{ lines: JournalLine[]; previousDigest: Uint8Array }> {
    this.limits.push(limit);
    const previousDigest = this.#digests[after];
    if (previousDigest === undefined) throw new RangeError(`the journal has no entry ${after}`);
    return { lines: this.lineList.slice(after, after + limit), previousDigest };
  }

  async digestAt(sequence: number): Promise<Uint8Array | undefined> {
    return this.#digests[sequence];
  }
}
