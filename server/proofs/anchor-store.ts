import { type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import { SealbookError } from "../errors.ts";
import { equalBytes } from "../kit/bytes.ts";
import { type ClosedAnchor, codeOfAnchor, isAnchorOf } from "../journal/integrity/anchor-code.ts";
import type { StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import { recordHashOf } from "../journal/integrity/record-hash.ts";
import type { AnchorContent, BlockInclusion } from "../chain/contracts/anchors.ts";
import type { CheckpointStore } from "../journal/integrity/checkpoint-anchor.ts";
import type { Database } from "../journal/engine/database.ts";
import { isAmong } from "../journal/engine/lists.ts";
import { proofsUnder } from "../journal/entries/anchor-proofs.ts";
import { newestSequence } from "../journal/entries/journal-rows.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import type { Schema } from "../journal/engine/schema.ts";
import type { EntryVerifier, VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { type AnchorState, inclusionOf, type ReadAnchor, readAnchors } from "./anchor-states.ts";

/** Anchors in the journal. */
export interface AnchorStore extends CheckpointStore {
  /** Opens an anchor for proofs; returns its id. */
  open(openedAt: number): Promise<number>;
  /** Gives an open anchor its content and the transaction that puts it on chain. */
  close(id: number, content: AnchorContent & { readonly transactionId: number }): Promise<void>;
  /**
   * Returns the open anchors.
   * @throws SealbookError `journal_damaged` when the journal does not continue what this process has seen
   */
  leftOpen(): Promise<number[]>;
  /**
   * Returns the recorded hashes under an anchor, by leaf index.
   * @throws SealbookError `journal_damaged` when a row with one of them was changed
   */
  leaves(id: number): Promise<Uint8Array[]>;
  /** Returns the states of anchors. */
  states(ids: readonly number[]): Promise<ReadonlyMap<number, AnchorState>>;
  /** Finds a closed anchor by its id, hash or transaction. */
  find(id: number): Promise<StoredAnchor | undefined>;
  byHash(hash: Uint8Array): Promise<StoredAnchor | undefined>;
  byTransaction(transactionHash: Uint8Array): Promise<StoredAnchor | undefined>;
  /** Returns the positions of anchors on chain before a rollback, oldest first; of those that have some. */
  superseded(ids: readonly number[]): Promise<ReadonlyMap<number, BlockInclusion[]>>;
  /** Returns anchors whose transaction has no outcome. */
  inFlight(): Promise<StoredAnchor[]>;
  /** Returns anchors whose transaction failed permanently. */
  failed(): Promise<StoredAnchor[]>;
  /** Gives a failed anchor a new transaction. */
  retry(id: number, transactionId: number): Promise<void>;
  /** Returns the acceptance time of the oldest unconfirmed proof, in Unix milliseconds. */
  oldestUnconfirmed(): Promise<number | undefined>;
}

// Literally as in the partial indexes on transactions in flight and failed ones, which match no other expression.
export const IN_FLIGHT = [sql<SqlBool>`transactions.state = 'queued'`, sql<SqlBool>`transactions.state = 'sent'`];
const FAILED = sql<SqlBool>`transactions.state in ('reverted', 'refused', 'cancelled')`;

/** @param verifier Reads over the same database */
export function anchorStore(database: Database, key: JournalKey | undefined, verifier: EntryVerifier): AnchorStore {
  /** Leaves changed ones out. */
  const readSound = async (ids: readonly number[]): Promise<StoredAnchor[]> =>
    [...(await readAnchors(verifier.begin(), ids)).values()].flatMap((anchor) => closed(anchor) ?? []);
  /**
   * Finds an anchor in a journal that continues what this process has seen.
   * @throws SealbookError `journal_damaged` when it was changed, or the journal does not continue that
   */
  const findOne = (find: (reads: VerifiedEntries) => Promise<readonly number[]>): Promise<StoredAnchor | undefined> =>
    verifier.begin().inSnapshot(async (reads) => {
      const [id] = await find(reads);
      if (id === undefined) return undefined;
      const anchor = (await readAnchors(reads, [id])).get(id);
      if (anchor === undefined)
        return reads.damaged(`the journal has no anchor ${id}, though it refers to it`, "leaves");
      if (anchor.fault !== undefined) throw new SealbookError("journal_damaged", anchor.fault);
      return closed(anchor);
    });
  const idsOf = async (query: SelectQueryBuilder<Schema, "anchors" | "transactions", { id: number }>) =>
    (await query.orderBy("anchors.id").execute()).map(({ id }) => id);
  const sent = (from = database) =>
    from
      .selectFrom("anchors")
      .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
      .select("anchors.id");
  const codeOf = (anchor: ClosedAnchor): Uint8Array => {
    if (key === undefined) throw new SealbookError("config_invalid", "the journal was opened without its key");
    return codeOfAnchor(key, anchor);
  };
  const oldest = async (condition: ReturnType<typeof sql<SqlBool>>): Promise<number | null> => {
    const row = await database
      .selectFrom("transactions")
      .innerJoin("anchors", "anchors.transaction_id", "transactions.id")
      .select((e) => e.fn.min<number | null>("anchors.opened_at").as("oldest"))
      .where(condition)
      .executeTakeFirstOrThrow();
    return row.oldest;
  };

  return {
    async open(openedAt) {
      const first = (await newestSequence(database)) + 1;
      const { id } = await database
        .insertInto("anchors")
        .values({ first_sequence: first, size: 0, opened_at: openedAt })
        .returning("id")
        .executeTakeFirstOrThrow();
      return id;
    },

    async close(id, { hash, size, transactionId }) {
      const { first_sequence } = await database
        .selectFrom("anchors")
        .select("first_sequence")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      const code = codeOf({ id, first_sequence, hash, size, checkpoint: null });
      const content = { hash, size, code, transaction_id: transactionId };
      const { numUpdatedRows } = await database
        .updateTable("anchors")
        .set(content)
        .where("id", "=", id)
        .where("transaction_id", "is", null)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw new SealbookError("internal", `anchor ${id} is closed already`);
    },

    async leftOpen() {
      // Those of another journal are not closed.
      await verifier.begin().newest();
      const rows = await database
        .selectFrom("anchors")
        .select("id")
        .where("transaction_id", "is", null)
        // Otherwise its transaction was removed by an administrator: it needs no other.
        .where("confirmation", "is", null)
        .orderBy("id")
        .execute();
      return rows.map(({ id }) => id);
    },

    async leaves(id) {
      const leaves = new Map<number, Uint8Array[]>();
      for (const entry of await proofsUnder(database, key, id).catch(damaged)) {
        const own = leaves.get(entry.leaf) ?? [];
        leaves.set(entry.leaf, own);
        const recorded = recordHashOf(entry);
        // Proofs that share a leaf have the same recorded hash; others do not give the content of the anchor.
        if (!own.some((each) => equalBytes(each, recorded))) own.push(recorded);
      }
      return [...leaves].sort(([a], [b]) => a - b).flatMap(([, hashes]) => hashes);
    },

    states: (ids) => readAnchors(verifier.begin(), ids),

    find: (id) => findOne(async () => [id]),

    byHash: (hash) =>
      findOne(async ({ database: snapshot }) => {
        const rows = await snapshot.selectFrom("anchors").select("id").where("hash", "=", hash).execute();
        return rows.map(({ id }) => id);
      }),

    byTransaction: (transactionHash) =>
      findOne(async (reads) => {
        const confirmed = await reads.database
          .selectFrom("confirmations")
          .select(["anchor_id", "sequence"])
          .where("transaction_hash", "=", transactionHash)
          .executeTakeFirst();
        if (confirmed === undefined)
          return idsOf(sent(reads.database).where("transactions.hash", "=", transactionHash));
        const { anchor_id: anchor, sequence } = confirmed;
        const entry = await reads.entry(sequence);
        const isIts = entry.kind === "confirmation" && entry.anchor === anchor;
        if (!isIts || !equalBytes(entry.tx_hash, transactionHash))
          return reads.damaged(`entry ${sequence} of the journal confirms no anchor by this transaction`);
        return [anchor];
      }),

    async superseded(ids) {
      const found = new Map<number, BlockInclusion[]>();
      const rows = await database
        .selectFrom("confirmations")
        .innerJoin("anchors", "anchors.id", "confirmations.anchor_id")
        .select("confirmations.sequence")
        .where(isAmong(database, "confirmations.anchor_id", ids))
        .where((e) =>
          e.or([
            e("anchors.confirmation", "is", null),
            e("anchors.confirmation", "!=", e.ref("confirmations.sequence")),
          ]),
        )
        .orderBy("confirmations.sequence")
        .execute();
      for (const entry of await verifier.begin().entries(rows.map(({ sequence }) => sequence))) {
        if (entry.kind !== "confirmation" || !ids.includes(entry.anchor)) continue;
        found.set(entry.anchor, [...(found.get(entry.anchor) ?? []), inclusionOf(entry)]);
      }
      return found;
    },

    async inFlight() {
      return readSound((await Promise.all(IN_FLIGHT.map((state) => idsOf(sent().where(state))))).flat());
    },

    async failed() {
      return readSound(await idsOf(sent().where(FAILED)));
    },

    async retry(id, transactionId) {
      await database.updateTable("anchors").set({ transaction_id: transactionId }).where("id", "=", id).execute();
    },

    async newestCheckpoint() {
      const row = await database
        .selectFrom("anchors")
        .select(["id", "first_sequence", "hash", "size", "code", "checkpoint", "opened_at", "confirmation"])
        .where("checkpoint", "is not", null)
        .orderBy("checkpoint", "desc")
        .limit(1)
        .executeTakeFirst();
      if (row === undefined || row.checkpoint === null) return undefined;
      const { id, hash } = row;
      if (hash === null || !isAnchorOf(key, { ...row, hash }))
        return verifier.begin().damaged(`anchor ${id}, a checkpoint, is not as a relayer has written it`);
      return { sequence: row.checkpoint, openedAt: row.opened_at, confirmation: row.confirmation ?? undefined };
    },

    async addCheckpoint({ sequence, hash, transactionId, openedAt }) {
      const anchor = { first_sequence: sequence, hash, size: 0, checkpoint: sequence };
      const { id } = await database
        .insertInto("anchors")
        .values({ ...anchor, transaction_id: transactionId, opened_at: openedAt })
        .returning("id")
        .executeTakeFirstOrThrow();
      await database
        .updateTable("anchors")
        .set({ code: codeOf({ id, ...anchor }) })
        .where("id", "=", id)
        .execute();
    },

    async oldestUnconfirmed() {
      const open = await database
        .selectFrom("anchors")
        .select((e) => e.fn.min<number | null>("opened_at").as("oldest"))
        .where("transaction_id", "is", null)
        .executeTakeFirstOrThrow();
      const times = [open.oldest, ...(await Promise.all([...IN_FLIGHT, FAILED].map(oldest)))];
      const known = times.filter((time) => time !== null);
      return known.length === 0 ? undefined : Math.min(...known);
    },
  };
}

/** Returns an anchor that is closed, and was not changed. */
function closed({ id, transactionId, content, outcome, fault }: ReadAnchor): StoredAnchor | undefined {
  if (fault !== undefined || content === undefined || transactionId === undefined) return undefined;
  return { id, ...content, transactionId, outcome };
}

/** Throws SealbookError `journal_damaged` for rows that are missing or were changed. */
export function damaged(error: unknown): never {
  if (error instanceof RangeError) throw new SealbookError("journal_damaged", error.message, { cause: error });
  throw error;
}
