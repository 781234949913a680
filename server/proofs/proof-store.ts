import { readHead } from "../journal/entries/journal-head.ts";
import { nextTurn } from "../kit/next-turn.ts";
import { type ExpressionBuilder, sql } from "kysely";
import type { IntentStore } from "../chain/transactions/transactions.ts";
import type { Atomic, Database } from "../journal/engine/database.ts";
import type { Schema } from "../journal/engine/schema.ts";
import { appendEntries, inTransaction } from "../journal/entries/entry-log.ts";
import { encodeLabel, labelIds } from "../journal/entries/proof-labels.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { documentKey, keyOf } from "../journal/index/proof-key.ts";
import { type AnchorStore, IN_FLIGHT, leafRanges } from "./anchor-store.ts";
import { hashKey } from "./leaf-index.ts";
import { type AcceptedProof, type ConfirmedProof, isConfirmed, type StoredProof } from "./proof.ts";
import { proofKeys, proofRow, type ProofRow, selectProofs, toEntry, toProof } from "./proof-rows.ts";
import { isOf, keyOfSubject, matching, type ProofStatements, type ProofSubject } from "./proof-statements.ts";

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
  /** Those before an entry. */
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
/** Rows of a batch that are read at a time: other requests are served in between. */
const ROWS_AT_ONCE = 100;
/** A page of a document's history, and one more. */
const MOST_IN_A_PAGE = 2 * PAGE;

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

    async byDocument(documentId, { limit = Infinity, before = Infinity, checked } = {}) {
      const found: StoredProof[] = [];
      const range = { order: "newest first", from: before, limit: Math.min(limit, MOST_IN_A_PAGE) } as const;
      for await (const rows of statements.pages(database, documentKey(documentId), range, checked)) {
        found.push(...(await matching(rows, (proof) => proof.documentId === documentId, checked)));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },

    async *byHash(hash, checked) {
      const range = { order: "oldest first", from: 0, limit: PAGE } as const;
      for await (const rows of statements.pages(database, keyOf(hash), range, checked)) {
        yield* await matching(rows, (proof) => isOf(proof, { hash }), checked);
      }
    },

    async confirmed(subject, limit, checked) {
      const newest: ConfirmedProof[] = [];
      let isKnown = false;
      const range = { order: "newest first", from: Infinity, limit: PAGE } as const;
      for await (const rows of statements.pages(database, keyOfSubject(subject), range, checked)) {
        const found = await matching(rows, (proof) => isOf(proof, subject), checked);
        isKnown ||= found.length > 0;
        newest.push(...found.filter(isConfirmed));
        const last = rows.at(-1);
        if (newest.length < limit || last === undefined) continue;
        const older = await statements.countConfirmed(database, subject, last.sequence, checked);
        return { newest: newest.slice(0, limit), count: newest.length + older, isKnown };
      }
      return { newest, count: newest.length, isKnown };
    },

    async byAnchor(anchorId, fromLeaf, limit) {
      const anchor = await database.selectFrom("anchors").selectAll().where("id", "=", anchorId).executeTakeFirst();
      if (anchor === undefined) return [];
      const found: StoredProof[] = [];
      for (let last: ProofRow | undefined; found.length < limit;) {
        const size = Math.min(limit - found.length, ROWS_AT_ONCE);
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
          .where("proofs.leaf_index", ">=", last?.leaf_index ?? anchor.first_leaf + fromLeaf)
          .$if(last !== undefined, (query) =>
            query.where((e) =>
              e.or([
                e("proofs.leaf_index", ">", last?.leaf_index ?? 0),
                e("proofs.sequence", ">", last?.sequence ?? 0),
              ]),
            ),
          )
          .orderBy("proofs.leaf_index")
          .orderBy("proofs.sequence")
          .limit(size)
          .execute();
        found.push(...rows.map(toProof));
        last = rows.at(-1);
        if (rows.length < size) break;
        await nextTurn();
      }
      return found;
    },

    async counts() {
      const { proofs } = await readHead(database);
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
