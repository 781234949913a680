import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { Database } from "../journal/engine/database.ts";
import type { RecentKeysTable } from "../journal/engine/schema.ts";
import { chunks, StatementCache } from "../journal/engine/statement-cache.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { KeyLookups, type KeyRange } from "../journal/index/key-lookups.ts";
import { sumRecentKeys } from "../journal/index/key-sums.ts";
import { documentKey, keyOf } from "../journal/index/proof-key.ts";
import { equalBytes } from "../kit/bytes.ts";
import type { StoredProof } from "./proof.ts";
import { ProofReader } from "./proof-rows.ts";

/** The document or the content of proofs. */
export type ProofSubject = { readonly documentId: string } | { readonly hash: Uint8Array };

/** Look-ups of proofs by their keys, with prepared statements. Another proof can have the same key by chance. */
export class ProofStatements {
  readonly reader = new ProofReader();
  readonly #keys = new StatementCache();
  readonly #keysFound = new KeyLookups();

  async insertKeys(database: Database, keys: readonly RecentKeysTable[]): Promise<void> {
    await sumRecentKeys(database, keys);
    for (const some of chunks(keys)) {
      const compile = () => database.insertInto("proof_keys_recent").values(some).compile();
      await database.executeQuery(
        this.#keys.of(
          some.length,
          compile,
          some.flatMap(({ key, sequence }) => [key, sequence]),
        ),
      );
    }
  }

  /** Returns candidate proofs, oldest first. */
  async lookup(database: Database, keys: readonly number[], checked?: VerifiedEntries): Promise<StoredProof[]> {
    await checked?.assertIndexed(keys);
    return this.reader.read(database, await this.#keysFound.numbersOf(database, keys), checked);
  }

  /** Returns the entries of the newest candidates before an entry, by key. */
  async newestOfEach(
    database: Database,
    keys: readonly number[],
    before: number,
    checked: VerifiedEntries,
  ): Promise<Map<number, number>> {
    await checked.assertIndexed(keys);
    return this.#keysFound.newestOfEach(database, keys, before);
  }

  /**
   * Reads candidate proofs in pages; the cost of a page does not grow with their number: a million proofs may have the
   * same content. Other requests are served between two pages.
   */
  async *pages(
    database: Database,
    key: number,
    { order, from, limit }: KeyRange,
    checked?: VerifiedEntries,
  ): AsyncGenerator<StoredProof[], undefined> {
    await checked?.assertIndexed([key]);
    for (let end = from; ;) {
      const numbers = await this.#keysFound.someOf(database, key, { order, from: end, limit });
      const proofs = await this.reader.read(database, numbers, checked);
      yield order === "newest first" ? proofs.reverse() : proofs;
      if (numbers.length < limit) return;
      end = (order === "newest first" ? numbers[0] : numbers.at(-1)) ?? end;
      await yieldToEventLoop();
    }
  }
}

/** Returns the key of a subject in the index. */
export function keyOfSubject(subject: ProofSubject): number {
  return "documentId" in subject ? documentKey(subject.documentId) : keyOf(subject.hash);
}

/** Returns whether a proof is one of a subject. */
export function isOf({ documentId, hash }: StoredProof, subject: ProofSubject): boolean {
  return "documentId" in subject ? documentId === subject.documentId : equalBytes(hash, subject.hash);
}
