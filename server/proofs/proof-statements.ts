import { nextTurn } from "../kit/next-turn.ts";
import { type CompiledQuery, type Insertable, sql } from "kysely";
import type { Database } from "../journal/engine/database.ts";
import type { ProofsTable, RecentKeysTable } from "../journal/engine/schema.ts";
import { chunks, paddedChunks, StatementCache } from "../journal/engine/statement-cache.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { KeyLookups, type KeyRange } from "../journal/index/key-lookups.ts";
import { sumRecentKeys } from "../journal/index/key-sums.ts";
import { documentKey, keyOf } from "../journal/index/proof-key.ts";
import { isConfirmed, type StoredProof } from "./proof.ts";
import { equalBytes } from "../kit/bytes.ts";
import { type ProofRow, selectProofs, toProof } from "./proof-rows.ts";

/** The document or the content of proofs. */
export type ProofSubject = { readonly documentId: string } | { readonly hash: Uint8Array };

/** Counts of some candidates. */
interface Counted {
  /** Proofs of the subject; more when one is under several anchors. */
  readonly rows: number | string;
  readonly proofs: number | string;
  readonly confirmed: number | string;
  /** Proofs whose confirmation is missing. */
  readonly lost: number | string | null;
}

/** Entries that are read from the index at a time to be counted. */
const COUNTED_AT_ONCE = 2_048;

/** Prepared statements of the hot path. */
export class ProofStatements {
  readonly #proofs = new StatementCache();
  readonly #keys = new StatementCache();
  readonly #keysFound = new KeyLookups();
  readonly #lookups = new StatementCache<ProofRow>();
  readonly #counts = { document_id: new StatementCache<Counted>(), hash: new StatementCache<Counted>() };

  async insert(
    database: Database,
    rows: readonly Insertable<ProofsTable>[],
    keys: readonly RecentKeysTable[],
  ): Promise<void> {
    // Values in the order of the first row's columns, like the compiler's output.
    for (const some of chunks(rows)) {
      const compile = () => database.insertInto("proofs").values(some).compile();
      await database.executeQuery(
        this.#proofs.of(
          some.length,
          compile,
          some.flatMap((row) => Object.values(row)),
        ),
      );
    }
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
  async lookup(database: Database, keys: readonly number[], checked?: VerifiedEntries): Promise<ProofRow[]> {
    await checked?.assertIndexed(keys);
    return this.#rowsOf(database, await this.#keysFound.numbersOf(database, keys), checked);
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

  /** Returns the candidates of some entries, oldest first. */
  ofEntries(database: Database, sequences: readonly number[], checked: VerifiedEntries): Promise<ProofRow[]> {
    return this.#rowsOf(
      database,
      [...new Set(sequences)].sort((a, b) => a - b),
      checked,
    );
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
  ): AsyncGenerator<ProofRow[]> {
    await checked?.assertIndexed([key]);
    for await (const numbers of this.#numbers(database, key, { order, from, limit })) {
      const rows = await this.#rowsOf(database, numbers, checked);
      yield order === "newest first" ? rows.reverse() : rows;
    }
  }

  /** Counts the confirmed proofs of a subject before an entry, without reading them. */
  async countConfirmed(
    database: Database,
    subject: ProofSubject,
    before: number,
    checked: VerifiedEntries,
  ): Promise<number> {
    let confirmed = 0;
    const range: KeyRange = { order: "newest first", from: before, limit: COUNTED_AT_ONCE };
    for await (const numbers of this.#numbers(database, keyOfSubject(subject), range)) {
      for (const wanted of paddedChunks(numbers)) {
        const distinct = [...new Set(wanted)];
        const counted = await this.#countOf(database, wanted, subject);
        const isWhole = counted.rows === distinct.length && counted.proofs === distinct.length && counted.lost === 0;
        // Another proof has the same key by chance, or one was changed.
        confirmed += isWhole
          ? counted.confirmed
          : (await this.#matches(database, distinct, subject, checked)).filter(isConfirmed).length;
        await nextTurn();
      }
    }
    return confirmed;
  }

  /** Reads the candidates with a key from the index. Other requests are served between two reads. */
  async *#numbers(database: Database, key: number, { order, from, limit }: KeyRange): AsyncGenerator<number[]> {
    for (let end = from; ;) {
      const numbers = await this.#keysFound.someOf(database, key, { order, from: end, limit });
      yield numbers;
      if (numbers.length < limit) return;
      end = (order === "newest first" ? numbers[0] : numbers.at(-1)) ?? end;
      await nextTurn();
    }
  }

  async #countOf(database: Database, wanted: readonly number[], subject: ProofSubject) {
    const [column, value] =
      "documentId" in subject ? ["document_id" as const, subject.documentId] : ["hash" as const, subject.hash];
    const compile = (): CompiledQuery<Counted> =>
      proofsAt(database, wanted)
        .clearSelect()
        .where(`proofs.${column}`, "=", value)
        .select((e) => [
          e.fn.countAll().as("rows"),
          e.fn.count("proofs.sequence").distinct().as("proofs"),
          e.fn.count("confirmations.sequence").as("confirmed"),
          // As in `assertWhole`.
          sql<number | null>`sum(case
            when anchors.confirmation is null then case transactions.state when 'confirmed' then 1 else 0 end
            when confirmations.block_number is null or contracts.address is null then 1 else 0 end)`.as("lost"),
        ])
        .compile();
    const query = this.#counts[column].of(wanted.length, compile, [...wanted, value]);
    const [counted] = (await database.executeQuery(query)).rows;
    return {
      rows: Number(counted?.rows),
      proofs: Number(counted?.proofs),
      confirmed: Number(counted?.confirmed),
      lost: Number(counted?.lost),
    };
  }

  async #matches(
    database: Database,
    wanted: readonly number[],
    subject: ProofSubject,
    checked: VerifiedEntries,
  ): Promise<StoredProof[]> {
    return matching(await this.#rowsOf(database, wanted, checked), (proof) => isOf(proof, subject), checked);
  }

  /** @param wanted Sequence numbers of entries, ascending */
  async #rowsOf(database: Database, wanted: readonly number[], checked?: VerifiedEntries): Promise<ProofRow[]> {
    const found: ProofRow[] = [];
    for (const some of paddedChunks(wanted)) {
      const compile = (): CompiledQuery<ProofRow> => proofsAt(database, some).orderBy("proofs.sequence").compile();
      const { rows } = await database.executeQuery(this.#lookups.of(some.length, compile, some));
      found.push(...rows);
    }
    if (checked !== undefined) assertWhole(found, wanted, checked);
    return found;
  }
}

function proofsAt(database: Database, numbers: readonly number[]) {
  return selectProofs(database).where("proofs.sequence", "in", numbers);
}

/** Returns the key of a subject in the index. */
export function keyOfSubject(subject: ProofSubject): number {
  return "documentId" in subject ? documentKey(subject.documentId) : keyOf(subject.hash);
}

/** Returns whether a proof is one of a subject. */
export function isOf({ documentId, hash }: StoredProof, subject: ProofSubject): boolean {
  return "documentId" in subject ? documentId === subject.documentId : equalBytes(hash, subject.hash);
}

/** Checks that each proof of some entries was read once, under one anchor with an outcome. */
export function assertWhole(rows: readonly ProofRow[], wanted: readonly number[], checked: VerifiedEntries): void {
  const found = new Set(rows.map(({ sequence }) => sequence));
  const lost = wanted.find((sequence) => !found.has(sequence));
  if (lost !== undefined || rows.length !== found.size)
    checked.damaged(
      `entry ${lost ?? rows[0]?.sequence} is not a proof under one anchor, though the journal refers to it`,
    );
  for (const { anchor_id: anchor, confirmation, block_number: block, contract, state } of rows) {
    const isLost = confirmation === null ? state === "confirmed" : block === null || contract === null;
    if (isLost) checked.damaged(`the confirmation of anchor ${anchor} is missing, or the contract that it names`);
  }
}

/** Returns the candidates that match. Another one has the same key by chance, or was changed. */
export async function matching(
  rows: readonly ProofRow[],
  isMatch: (proof: StoredProof) => boolean,
  checked: VerifiedEntries | undefined,
): Promise<StoredProof[]> {
  const found: StoredProof[] = [];
  for (const proof of rows.map(toProof)) {
    if (isMatch(proof)) found.push(proof);
    else await checked?.entry(proof.sequence);
  }
  return found;
}
