import type { CompiledQuery } from "kysely";
import { SealbookError } from "../errors.ts";
import type { Database } from "../journal/engine/database.ts";
import type { RecentKeysTable } from "../journal/engine/schema.ts";
import { chunks, paddedChunks, StatementCache } from "../journal/engine/statement-cache.ts";
import type { ProofEntry } from "../journal/entries/codec.ts";
import { entryOf } from "../journal/entries/entry-source.ts";
import { RowReader } from "../journal/entries/journal-rows.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { documentKey, keyOf, keysOf } from "../journal/index/proof-key.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";
import { hashesUnder } from "../journal/integrity/stored-anchor.ts";
import { OUTCOME_COLUMNS, toAnchorOutcome } from "./anchor-store.ts";
import { type AcceptedProof, metadataOf, type StoredProof } from "./proof.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { KeyLookups, type KeyRange } from "../journal/index/key-lookups.ts";
import { equalBytes } from "../kit/bytes.ts";

/** Selects anchors over proofs, with their outcomes. */
function anchorsWith(database: Database, ids: readonly number[]) {
  return database
    .selectFrom("anchors")
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .leftJoin("contracts", "contracts.id", "confirmations.contract_id")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select([
      "anchors.id as anchor_id",
      "anchors.hash as anchor_hash",
      "anchors.size",
      "anchors.confirmation",
      ...OUTCOME_COLUMNS,
    ])
    .where("anchors.id", "in", ids)
    .where("anchors.checkpoint", "is", null);
}

type AnchorRow = Awaited<ReturnType<ReturnType<typeof anchorsWith>["executeTakeFirstOrThrow"]>>;

/** Reads proofs from the rows of the journal, with the outcomes of their anchors. */
class ProofReader {
  readonly #reader = new RowReader();
  readonly #anchors = new StatementCache<AnchorRow>();

  /**
   * Returns the proofs of some entries, in the order of their numbers.
   * Leaves entries of other kinds out: a key may lead anywhere.
   * @throws SealbookError `journal_damaged` when an entry is missing; with `checked` also when it was changed, or is
   * not under an anchor with an outcome
   */
  async read(database: Database, numbers: readonly number[], checked?: VerifiedEntries): Promise<StoredProof[]> {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    if (sorted.length === 0) return [];
    const entries = await (checked === undefined ? this.#entries(database, sorted) : checked.entries(sorted));
    const proofs = entries.filter((entry) => entry.kind === "proof");
    return this.withAnchors(database, proofs, checked);
  }

  /** Adds the anchors of proofs and their outcomes; throws as {@link read} does. */
  async withAnchors(
    database: Database,
    proofs: readonly ProofEntry[],
    checked?: VerifiedEntries,
  ): Promise<StoredProof[]> {
    const anchors = await this.#anchorsOf(database, proofs);
    return proofs.flatMap((entry) => {
      const found = anchors.get(entry.anchor);
      const anchor = found !== undefined && holds(found, entry.leaf) ? found : undefined;
      if (checked !== undefined) assertWhole(entry, anchor, checked);
      return anchor === undefined ? [] : [toProof(entry, anchor)];
    });
  }

  async #entries(database: Database, sorted: readonly number[]) {
    try {
      const rows = await this.#reader.rowsOf(database, sorted);
      let at = 0;
      return sorted.map((sequence) => {
        while ((rows[at]?.sequence ?? Infinity) < sequence) at += 1;
        const row = rows[at];
        if (row === undefined) throw new RangeError(`entry ${sequence} of the journal is missing`);
        return entryOf(sequence, row.text(sequence));
      });
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new SealbookError("journal_damaged", cause.message, { cause });
    }
  }

  async #anchorsOf(database: Database, proofs: readonly ProofEntry[]): Promise<Map<number, AnchorRow>> {
    const found = new Map<number, AnchorRow>();
    for (const some of paddedChunks([...new Set(proofs.map(({ anchor }) => anchor))])) {
      const compile = (): CompiledQuery<AnchorRow> => anchorsWith(database, some).compile();
      const { rows } = await database.executeQuery(this.#anchors.of(some.length, compile, some));
      for (const row of rows) found.set(row.anchor_id, row);
    }
    return found;
  }
}

/** Returns whether a leaf is under an anchor; one that is open has no end yet. */
function holds({ anchor_hash: hash, size }: AnchorRow, leaf: number): boolean {
  return hash === null || leaf < hashesUnder({ size });
}

/** Checks that a proof is under an anchor with an outcome. */
function assertWhole({ sequence }: ProofEntry, anchor: AnchorRow | undefined, checked: VerifiedEntries): void {
  if (anchor === undefined)
    return checked.damaged(`entry ${sequence} is not a proof under its anchor, though the journal refers to it`);
  const { anchor_id: id, confirmation, state, block_number: block, contract } = anchor;
  const isLost = confirmation === null ? state === "confirmed" : block === null || contract === null;
  if (isLost) checked.damaged(`the confirmation of anchor ${id} is missing, or the contract that it names`);
}

function toProof(entry: ProofEntry, anchor: AnchorRow): StoredProof {
  return {
    sequence: entry.sequence,
    confirmation: anchor.confirmation ?? undefined,
    documentId: entry.documentId,
    hash: entry.hash,
    recordHash: recordHash(entry),
    metadata: metadataOf(entry),
    acceptedAt: entry.acceptedAt,
    anchorId: anchor.anchor_id,
    leafIndex: entry.leaf,
    content: anchor.anchor_hash === null ? undefined : { hash: anchor.anchor_hash, size: anchor.size },
    outcome: toAnchorOutcome(anchor),
  };
}

/** Returns the proof's own fields of an entry; the caller adds its anchor and leaf. */
export function toEntry(proof: AcceptedProof): Omit<ProofEntry, "sequence" | "anchor" | "leaf"> {
  const { type, timestamp, source, ...rest } = proof.metadata;
  return {
    documentId: proof.documentId,
    hash: proof.hash,
    timestamp,
    type: type ?? null,
    source: source ?? null,
    metadata: isEmpty(rest) ? null : JSON.stringify(rest),
    acceptedAt: proof.acceptedAt,
  };
}

/** Returns the keys of proofs, in the order that is fastest for the index. */
export function proofKeys(
  proofs: readonly { sequence: number; documentId: string; hash: Uint8Array; recordHash: Uint8Array }[],
): RecentKeysTable[] {
  return proofs
    .flatMap((proof) => keysOf(proof).map((key) => ({ key, sequence: proof.sequence })))
    .sort((a, b) => a.key - b.key);
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** The document or the content of proofs. */
export type ProofSubject = { readonly documentId: string } | { readonly hash: Uint8Array };

/** Look-ups of proofs by their keys, with prepared statements. Another proof can have the same key by chance. */
export class ProofStatements {
  readonly reader = new ProofReader();
  readonly #keys = new StatementCache();
  readonly #keysFound = new KeyLookups();

  async insertKeys(database: Database, keys: readonly RecentKeysTable[]): Promise<void> {
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
    return this.reader.read(database, await this.#keysFound.numbersOf(database, keys), checked);
  }

  /** Returns the entries of the newest candidates before an entry, by key. */
  async newestOfEach(database: Database, keys: readonly number[], before: number): Promise<Map<number, number>> {
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
