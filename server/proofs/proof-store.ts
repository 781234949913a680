import { proofsOfBatch } from "../journal/entries/batch-rows.ts";
import { readHead, RowReader } from "../journal/entries/journal-rows.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { type ExpressionBuilder, sql } from "kysely";
import type { IntentStore } from "../chain/transactions/types.ts";
import type { Atomic, Database } from "../journal/engine/database.ts";
import type { Schema } from "../journal/engine/schema.ts";
import { appendEntries, inTransaction } from "../journal/entries/entry-log.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { documentKey, keyOf } from "../journal/index/proof-key.ts";
import { type AnchorStore, IN_FLIGHT } from "./anchor-store.ts";
import { hashKey } from "./anchor-trees.ts";
import { type AcceptedProof, type ConfirmedProof, isConfirmed, type StoredProof } from "./proof.ts";
import { isOf, keyOfSubject, proofKeys, type ProofStatements, type ProofSubject, toEntry } from "./proof-rows.ts";

/** Proofs in the journal. With `checked` a look-up throws SealbookError `journal_damaged` when a row was changed. */
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
  /**
   * Returns the newest confirmed proofs of a document or a content, newest first, and how many there are in total.
   * @param limit Maximum number of proofs that are returned
   */
  confirmed(subject: ProofSubject, limit: number, checked: VerifiedEntries): Promise<ConfirmedProofs>;
  /** Returns the proofs under an anchor by leaf index, from a leaf on. */
  byAnchor(anchorId: number, fromLeaf: number, limit: number): Promise<StoredProof[]>;
  counts(): Promise<{ records: number; pending: number }>;
}

/** Which proofs of a document are returned. */
export interface DocumentProofs {
  readonly limit?: number;
  /** The entry before which results begin. */
  readonly before?: number;
  readonly checked?: VerifiedEntries | undefined;
}

/** The newest confirmed proofs of a subject. */
export interface ConfirmedProofs {
  readonly newest: readonly ConfirmedProof[];
  /** Number of all confirmed proofs. */
  readonly count: number;
  /** Whether there is any proof, confirmed or not. */
  readonly isKnown: boolean;
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

export function proofStore(database: Database, statements: ProofStatements): ProofStore {
  const pendingHashes = (e: ExpressionBuilder<Schema, "anchors">) =>
    e.fn
      .coalesce(e.fn.sum<number>(sql<number>`case anchors.size when 0 then 1 else anchors.size end`), sql<number>`0`)
      .as("hashes");

  const rows = new RowReader();

  return {
    async insert(proofs) {
      if (proofs.length === 0) return;
      await inTransaction(database, async (transaction) => {
        const appended = await appendEntries(
          transaction,
          proofs.map((proof) => (sequence: number) => {
            const { anchorId: anchor, leafIndex: leaf, recordHash } = proof;
            return { kind: "proof" as const, sequence, anchor, leaf, ...toEntry(proof), recordHash };
          }),
        );
        await statements.insertKeys(transaction, proofKeys(appended));
      });
    },

    async byRecordHashes(recordHashes, checked) {
      const wanted = new Set(recordHashes.map((hash) => hashKey({ recordHash: hash })));
      const keys = recordHashes.map((hash) => keyOf(hash));
      const found = await statements.lookup(database, keys, checked);
      return found.filter((proof) => wanted.has(hashKey(proof)));
    },

    async byDocument(documentId, { limit = Infinity, before = Infinity, checked } = {}) {
      const found: StoredProof[] = [];
      const range = { order: "newest first", from: before, limit: Math.min(limit, MOST_IN_A_PAGE) } as const;
      for await (const proofs of statements.pages(database, documentKey(documentId), range, checked)) {
        found.push(...proofs.filter((proof) => proof.documentId === documentId));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },

    async *byHash(hash, checked) {
      const range = { order: "oldest first", from: 0, limit: PAGE } as const;
      for await (const proofs of statements.pages(database, keyOf(hash), range, checked))
        yield* proofs.filter((proof) => isOf(proof, { hash }));
    },

    async confirmed(subject, limit, checked) {
      const newest: ConfirmedProof[] = [];
      let [count, isKnown] = [0, false];
      const range = { order: "newest first", from: Infinity, limit: PAGE } as const;
      for await (const proofs of statements.pages(database, keyOfSubject(subject), range, checked)) {
        const found = proofs.filter((proof) => isOf(proof, subject));
        isKnown ||= found.length > 0;
        const confirmed = found.filter(isConfirmed);
        count += confirmed.length;
        newest.push(...confirmed.slice(0, limit - newest.length));
      }
      return { newest, count, isKnown };
    },

    async byAnchor(anchorId, fromLeaf, limit) {
      const own = (await proofsOfBatch(database, rows, anchorId))
        .filter(({ leaf }) => leaf >= fromLeaf)
        .sort((a, b) => a.leaf - b.leaf || a.sequence - b.sequence);
      await yieldToEventLoop();
      return statements.reader.withAnchors(database, own.slice(0, limit));
    },

    async counts() {
      const { proofs } = await readHead(database);
      const { open } = await database
        .selectFrom("anchors")
        .innerJoin("batch_rows", "batch_rows.anchor_id", "anchors.id")
        .select((e) => e.fn.coalesce(e.fn.sum<number>("batch_rows.proofs"), sql<number>`0`).as("open"))
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
