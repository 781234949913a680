import { proofsUnder } from "../journal/entries/anchor-proofs.ts";
import { newestSequence, readHead } from "../journal/entries/journal-rows.ts";
import { entriesWith } from "../journal/index/proof-index.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { recordHashOf } from "../journal/integrity/record-hash.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { type ExpressionBuilder, sql } from "kysely";
import type { IntentStore } from "../chain/transactions/types.ts";
import type { Atomic, Database } from "../journal/engine/database.ts";
import type { Schema } from "../journal/engine/schema.ts";
import { appendEntries, inTransaction } from "../journal/entries/entry-log.ts";
import type { ProofEntry } from "../journal/entries/codec.ts";
import type { EntryVerifier, VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { keyOf } from "../journal/index/proof-key.ts";
import { type AnchorStore, damaged, IN_FLIGHT } from "./anchor-store.ts";
import { hashKey } from "./anchor-trees.ts";
import type { AcceptedProof, StoredProof } from "./proof.ts";
import { proofPages, type ProofSubject, readProofs, readProofsWith, toEntry } from "./proof-rows.ts";

/** Proofs in the journal. A look-up throws SealbookError `journal_damaged` when a row was changed. */
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
  byHash(hash: Uint8Array): AsyncIterable<StoredProof>;
  /** Returns all proofs of a document or a content, newest first, in pages. */
  ofSubject(subject: ProofSubject, checked: VerifiedEntries): AsyncIterable<readonly StoredProof[]>;
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

/** @param verifier Reads over the same database */
export function proofStore(database: Database, key: JournalKey | undefined, verifier: EntryVerifier): ProofStore {
  const pendingHashes = (e: ExpressionBuilder<Schema, "anchors">) =>
    e.fn
      .coalesce(e.fn.sum<number>(sql<number>`case anchors.size when 0 then 1 else anchors.size end`), sql<number>`0`)
      .as("hashes");

  return {
    async insert(proofs) {
      if (proofs.length === 0) return;
      await inTransaction(database, async (transaction) => {
        await appendEntries(
          transaction,
          key,
          proofs.map((proof) => (sequence: number) => {
            const { anchorId: anchor, leafIndex: leaf } = proof;
            return { kind: "proof" as const, sequence, anchor, leaf, ...toEntry(proof) };
          }),
        );
      });
    },

    byRecordHashes(recordHashes, checked = verifier.begin()) {
      const wanted = new Set(recordHashes.map((hash) => hashKey({ recordHash: hash })));
      return readProofsWith(checked, "record", recordHashes.map(keyOf), (entry) =>
        wanted.has(hashKey({ recordHash: recordHashOf(entry) })),
      );
    },

    async byDocument(documentId, { limit = Infinity, before = Infinity, checked = verifier.begin() } = {}) {
      const found: StoredProof[] = [];
      const range = { order: "newest first", from: before, limit: Math.min(limit, MOST_IN_A_PAGE) } as const;
      for await (const proofs of proofPages(checked, { documentId }, range)) {
        found.push(...proofs);
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },

    async *byHash(hash) {
      for await (const proofs of proofPages(
        verifier.begin(),
        { hash },
        { order: "oldest first", from: 0, limit: PAGE },
      ))
        yield* proofs;
    },

    ofSubject: (subject, checked) =>
      proofPages(checked, subject, { order: "newest first", from: Infinity, limit: PAGE }),

    async byAnchor(anchorId, fromLeaf, limit) {
      const own = (await proofsUnder(database, key, anchorId).catch(damaged))
        .filter(({ leaf }) => leaf >= fromLeaf)
        .sort((a, b) => a.leaf - b.leaf || a.sequence - b.sequence)
        .slice(0, limit);
      await yieldToEventLoop();
      // Also later proofs that share one of these leaves.
      const keys = own.map((proof) => keyOf(recordHashOf(proof)));
      const [first, last] = [own[0]?.leaf ?? 0, own.at(-1)?.leaf ?? 0];
      const isUnder = ({ anchor, leaf }: ProofEntry): boolean => anchor === anchorId && leaf >= first && leaf <= last;
      const found = await verifier.begin().inSnapshot(async (reads) => {
        // A key that leads beyond the journal is of no interest here.
        const sharing = await entriesWith(reads.database, "record", keys, 0, await newestSequence(reads.database));
        return readProofs(reads, [...own.map(({ sequence }) => sequence), ...sharing], isUnder);
      });
      return found.sort((a, b) => a.leafIndex - b.leafIndex || a.sequence - b.sequence).slice(0, limit);
    },

    async counts() {
      const { proofs } = await readHead(database);
      const { open } = await database
        .selectFrom("anchors")
        .select((e) => e.fn.coalesce(e.fn.sum<number>("size"), sql<number>`0`).as("open"))
        .where("transaction_id", "is", null)
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
