import { SealbookError } from "../errors.ts";
import { type CompiledQuery, type ExpressionBuilder, type Insertable, sql } from "kysely";
import { hashKey } from "./leaf-index.ts";
import { type AcceptedProof, metadataOf, type ProofMetadata, type StoredProof } from "./proof.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";
import type { Atomic, Database } from "../journal/engine/database.ts";
import type { IntentStore } from "../chain/transactions/transactions.ts";
import { type AnchorStore, leafRanges, OUTCOME_COLUMNS, toAnchorOutcome, IN_FLIGHT } from "./anchor-store.ts";
import { appendEntries, inTransaction } from "../journal/entries/entry-log.ts";
import { linkOf } from "../journal/integrity/entry-chain.ts";
import { KeyLookups } from "../journal/index/key-lookups.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { ProofEntry } from "../journal/entries/codec.ts";
import { sumRecentKeys } from "../journal/index/key-sums.ts";
import { openPartitions } from "../journal/index/partitions.ts";
import { documentKey, keyOf, keysOf } from "../journal/index/proof-key.ts";
import { labelIds, encodeLabel, decodeLabel } from "../journal/entries/proof-labels.ts";
import { PartitionMap } from "../journal/index/partition-map.ts";
import type { RecentKeysTable, ProofsTable, Schema } from "../journal/engine/schema.ts";
import { paddedChunks, chunks, StatementCache } from "../journal/engine/statement-cache.ts";

/**
 * Proofs in the journal. With `checked` a look-up throws SealbookError `journal_damaged` when the index or the rows do
 * not have all proofs that they ought to have.
 */
export interface ProofStore {
  insert(proofs: readonly AcceptedProof[]): Promise<void>;
  /** Returns proofs with one of the recorded hashes, oldest first. */
  byRecordHashes(recordHashes: readonly Uint8Array[], checked?: VerifiedEntries): Promise<StoredProof[]>;
  /** Returns the proofs of a document, newest first; of a page, at most `limit` before an entry. */
  byDocument(documentId: string, page?: DocumentProofs): Promise<StoredProof[]>;
  /**
   * Returns proofs by document hash, oldest first; read in pages, because any number of documents can have the same
   * content.
   */
  byHash(hash: Uint8Array, checked?: VerifiedEntries): AsyncIterable<StoredProof>;
  /** Returns the proofs under an anchor by leaf index, from a leaf on. */
  byAnchor(anchorId: number, fromLeaf: number, limit: number): Promise<StoredProof[]>;
  counts(): Promise<{ records: number; pending: number }>;
}

/** Which proofs of a document are returned. */
export interface DocumentProofs {
  readonly limit?: number;
  /** Those before an entry. */
  readonly before?: number;
  readonly checked?: VerifiedEntries | undefined;
}

/** The journal's stores for proofs. */
export type ProofJournal = Atomic<{
  readonly proofs: ProofStore;
  readonly anchors: AnchorStore;
  readonly intents: IntentStore;
}>;

/** Page size when reading proofs of one content. */
const PAGE = 100;
/** A page of a document's history, and one more. */
const MOST_IN_A_PAGE = 2 * PAGE;

/** Selects proofs with the outcomes of their anchors. */
export function selectProofs(database: Database) {
  return database
    .selectFrom("proofs")
    .innerJoin("anchors", (join) =>
      join
        .onRef("anchors.batch_id", "=", "proofs.batch_id")
        .onRef("anchors.first_leaf", "<=", "proofs.leaf_index")
        .onRef("anchors.last_leaf", ">=", "proofs.leaf_index"),
    )
    .leftJoin("proof_labels", "proof_labels.id", "proofs.label_id")
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .leftJoin("contracts", "contracts.id", "confirmations.contract_id")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select([
      "proofs.sequence",
      "proofs.document_id",
      "proofs.hash",
      "proofs.timestamp",
      "proof_labels.text as label",
      "proofs.metadata",
      "proofs.accepted_at",
      "proofs.leaf_index",
      "proofs.shares_leaf",
      "anchors.id as anchor_id",
      "anchors.first_leaf",
      "anchors.first_sequence",
      "anchors.last_sequence",
      "anchors.hash as anchor_hash",
      "anchors.size",
      "anchors.confirmation",
      ...OUTCOME_COLUMNS,
    ]);
}

export type ProofRow = Awaited<ReturnType<ReturnType<typeof selectProofs>["executeTakeFirstOrThrow"]>>;

/** @throws SealbookError `journal_damaged` when the row was changed so that it cannot be read */
export function toProof(row: ProofRow): StoredProof {
  try {
    return readProof(row);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SealbookError("journal_damaged", `entry ${row.sequence}: ${cause.message}`, { cause });
  }
}

function readProof(row: ProofRow): StoredProof {
  const metadata = toMetadata(row);
  const parts = { documentId: row.document_id, timestamp: row.timestamp, type: metadata.type ?? "", hash: row.hash };
  return {
    sequence: row.sequence,
    confirmation: row.confirmation ?? undefined,
    documentId: row.document_id,
    hash: row.hash,
    recordHash: recordHash(parts),
    metadata,
    acceptedAt: row.accepted_at,
    anchorId: row.anchor_id,
    leafIndex: row.leaf_index - row.first_leaf,
    sharesLeaf: row.shares_leaf === 1,
    isLeaf: row.shares_leaf === 0 && row.sequence >= row.first_sequence && row.sequence <= row.last_sequence,
    content: row.anchor_hash === null ? undefined : { hash: row.anchor_hash, size: row.size },
    outcome: toAnchorOutcome(row),
  };
}

function toMetadata(row: ProofRow): ProofMetadata {
  return metadataOf({ ...row, ...decodeLabel(row.label) });
}

/** Returns the proof's own fields of an entry; the caller adds the leaf in the batch. */
function toEntry(proof: AcceptedProof): Omit<ProofEntry, "sequence" | "batch" | "leaf"> {
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

/** Builds a row of the table of proofs. */
export function proofRow(
  entry: ProofEntry,
  digest: Uint8Array,
  labelId: number | null,
  sharesLeaf: boolean,
): Insertable<ProofsTable> {
  return {
    sequence: entry.sequence,
    accepted_at: entry.acceptedAt,
    timestamp: entry.timestamp,
    batch_id: entry.batch,
    label_id: labelId,
    leaf_index: entry.leaf,
    shares_leaf: sharesLeaf ? 1 : 0,
    link: linkOf(digest),
    hash: entry.hash,
    document_id: entry.documentId,
    metadata: entry.metadata,
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

/** Prepared statements of the hot path. */
export class ProofStatements {
  readonly #proofs = new StatementCache();
  readonly #keys = new StatementCache();
  readonly #keysFound = new KeyLookups();
  readonly #months = new PartitionMap();
  readonly #lookups = new StatementCache<ProofRow>();

  async insert(
    database: Database,
    rows: readonly Insertable<ProofsTable>[],
    keys: readonly RecentKeysTable[],
  ): Promise<void> {
    await openPartitions(database, rows);
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

  /** Reads candidate proofs in pages. Sequence numbers are read once: a million proofs may have the same content. */
  async *pages(
    database: Database,
    key: number,
    order: "oldest first" | "newest first",
    limit: number,
    { before = Infinity, checked }: Pick<DocumentProofs, "before" | "checked"> = {},
  ): AsyncGenerator<ProofRow[]> {
    await checked?.assertIndexed([key]);
    let end = before;
    if (order === "newest first") {
      // Most readers need one page, which does not take longer for a document with very many proofs.
      const newest = await this.#keysFound.newestOf(database, key, end, limit);
      yield (await this.#rowsOf(database, newest, checked)).reverse();
      if (newest.length < limit) return;
      end = newest[0] ?? end;
    }
    const numbers = (await this.#keysFound.numbersOf(database, [key])).filter((number) => number < end);
    if (order === "newest first") numbers.reverse();
    for (let from = 0; from < numbers.length; from += limit) {
      const some = numbers.slice(from, from + limit);
      if (order === "oldest first") yield await this.#rowsOf(database, some, checked);
      else yield (await this.#rowsOf(database, some.reverse(), checked)).reverse();
    }
  }

  /** @param wanted Sequence numbers of entries, ascending */
  async #rowsOf(database: Database, wanted: readonly number[], checked?: VerifiedEntries): Promise<ProofRow[]> {
    const found: ProofRow[] = [];
    for (const { numbers, span } of await this.#months.split(database, wanted)) {
      for (const some of paddedChunks(numbers)) {
        const compile = (): CompiledQuery<ProofRow> =>
          selectProofs(database)
            .where("proofs.sequence", "in", some)
            .$if(span !== undefined, (query) =>
              query.where("proofs.accepted_at", ">=", span?.from ?? 0).where("proofs.accepted_at", "<", span?.to ?? 0),
            )
            .orderBy("proofs.sequence")
            .compile();
        const parameters = span === undefined ? some : [...some, span.from, span.to];
        const { rows } = await database.executeQuery(this.#lookups.of(some.length, compile, parameters));
        found.push(...rows);
      }
    }
    if (checked !== undefined) assertWhole(found, wanted, checked);
    return found;
  }
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

export function proofStore(database: Database, statements: ProofStatements): ProofStore {
  const pendingHashes = (e: ExpressionBuilder<Schema, "anchors">) =>
    e.fn
      .coalesce(e.fn.sum<number>(sql<number>`case anchors.size when 0 then 1 else anchors.size end`), sql<number>`0`)
      .as("hashes");

  return {
    async insert(proofs) {
      if (proofs.length === 0) return;
      await inTransaction(database, async (transaction) => {
        const ranges = await leafRanges(
          transaction,
          proofs.map(({ anchorId }) => anchorId),
        );
        const labels = await labelIds(
          transaction,
          proofs.map(({ metadata }) => encodeLabel(metadata)),
        );
        const appended = await appendEntries(
          transaction,
          proofs.map((proof) => (sequence: number) => {
            const { batch, firstLeaf } = ranges(proof.anchorId);
            return {
              kind: "proof" as const,
              sequence,
              batch,
              leaf: firstLeaf + proof.leafIndex,
              ...toEntry(proof),
              proof,
            };
          }),
        );
        const rows = appended.map(({ entry, digest }) =>
          proofRow(entry, digest, labels(encodeLabel(entry.proof.metadata)), entry.proof.sharesLeaf),
        );
        const keys = proofKeys(appended.map(({ entry: { sequence, proof } }) => ({ sequence, ...proof })));
        await statements.insert(transaction, rows, keys);
      });
    },

    async byRecordHashes(recordHashes, checked) {
      const wanted = new Set(recordHashes.map((hash) => hashKey({ recordHash: hash })));
      const rows = await statements.lookup(
        database,
        recordHashes.map((hash) => keyOf(hash)),
        checked,
      );
      return matching(rows, (proof) => wanted.has(hashKey(proof)), checked);
    },

    async byDocument(documentId, { limit = Infinity, ...rest } = {}) {
      const found: StoredProof[] = [];
      const size = Math.min(limit, MOST_IN_A_PAGE);
      for await (const rows of statements.pages(database, documentKey(documentId), "newest first", size, rest)) {
        found.push(...(await matching(rows, (proof) => proof.documentId === documentId, rest.checked)));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },

    async *byHash(hash, checked) {
      for await (const rows of statements.pages(database, keyOf(hash), "oldest first", PAGE, { checked })) {
        yield* await matching(rows, (proof) => Buffer.compare(proof.hash, hash) === 0, checked);
      }
    },

    async byAnchor(anchorId, fromLeaf, limit) {
      const anchor = await database.selectFrom("anchors").selectAll().where("id", "=", anchorId).executeTakeFirst();
      if (anchor === undefined) return [];
      const rows = await selectProofs(database)
        .where("anchors.id", "=", anchorId)
        .where((e) =>
          e.or([
            e.and([
              e("proofs.sequence", ">=", anchor.first_sequence),
              e("proofs.sequence", "<=", anchor.last_sequence),
            ]),
            // Literally as in the index.
            e.and([e("proofs.batch_id", "=", anchor.batch_id), e("proofs.shares_leaf", "=", sql.lit(1))]),
          ]),
        )
        .where("proofs.leaf_index", ">=", anchor.first_leaf + fromLeaf)
        .orderBy("proofs.leaf_index")
        .orderBy("proofs.sequence")
        .limit(limit)
        .execute();
      return rows.map(toProof);
    },

    async counts() {
      const { proofs } = await database.selectFrom("journal_head").select("proofs").executeTakeFirstOrThrow();
      const { open } = await database
        .selectFrom("anchors")
        .innerJoin("proofs", (join) =>
          join
            .onRef("proofs.batch_id", "=", "anchors.batch_id")
            .onRef("proofs.sequence", ">=", "anchors.first_sequence"),
        )
        .select((e) => e.fn.countAll<number>().as("open"))
        .where("anchors.transaction_id", "is", null)
        .executeTakeFirstOrThrow();
      const closed = await Promise.all(
        IN_FLIGHT.map((state) =>
          database
            .selectFrom("transactions")
            .innerJoin("anchors", "anchors.transaction_id", "transactions.id")
            .select(pendingHashes)
            .where("anchors.checkpoint", "is", null)
            .where(state)
            .executeTakeFirstOrThrow(),
        ),
      );
      return { records: proofs, pending: closed.reduce((sum, { hashes }) => sum + hashes, open) };
    },
  };
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
