import { sql, type SqlBool } from "kysely";
import { equalBytes } from "../kit/bytes.ts";
import type { AnchorOutcome, StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import { recordHashOf } from "../journal/integrity/record-hash.ts";
import type { AnchorContent, BlockInclusion } from "../chain/contracts/anchors.ts";
import type { CheckpointStore } from "../journal/integrity/checkpoint-anchor.ts";
import type { Database } from "../journal/engine/database.ts";
import { isAmong } from "../journal/engine/lists.ts";
import { proofsUnder } from "../journal/entries/anchor-proofs.ts";
import { newestSequence } from "../journal/entries/journal-rows.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import type { AnchorRow, Schema, TransactionRow } from "../journal/engine/schema.ts";

/** The state of an anchor in the journal. */
export interface AnchorState {
  readonly outcome: AnchorOutcome;
  /** `undefined` while the anchor is open. */
  readonly content: AnchorContent | undefined;
}

/** Anchors in the journal. */
export interface AnchorStore extends CheckpointStore {
  /** Opens an anchor for proofs; returns its id. */
  open(openedAt: number): Promise<number>;
  /** Gives an open anchor its content and the transaction that puts it on chain. */
  close(id: number, content: AnchorContent & { readonly transactionId: number }): Promise<void>;
  /** Returns the open anchors. */
  leftOpen(): Promise<number[]>;
  /** Returns the recorded hashes under an anchor, by leaf index. */
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

/** The columns of a confirmation that are part of an outcome. */
export const CONFIRMATION_COLUMNS = [
  "confirmations.contract",
  "confirmations.transaction_hash",
  "confirmations.block_number",
  "confirmations.block_hash",
  "confirmations.block_time",
  "confirmations.validator",
] as const;

/** The columns of an outcome: those of the confirmation, or of the transaction without one. */
export const OUTCOME_COLUMNS = ["transactions.state", "transactions.reason", ...CONFIRMATION_COLUMNS] as const;

/** The outcome columns: null without a confirmation and without a transaction. */
type OutcomeRow = { [Column in "state" | "reason"]: TransactionRow[Column] | null } & {
  [Column in "contract" | "transaction_hash" | "block_number" | "block_hash" | "block_time" | "validator"]:
    Schema["confirmations"][Column] | null;
};

export function toAnchorOutcome(row: OutcomeRow): AnchorOutcome {
  const {
    contract,
    transaction_hash: transactionHash,
    block_number: number,
    block_hash: hash,
    block_time: time,
    validator,
  } = row;
  const isWhole = contract !== null && transactionHash !== null && number !== null && hash !== null;
  if (isWhole && time !== null && validator !== null) {
    return { state: "confirmed", contract, transactionHash, block: { number, hash, time, validator } };
  }
  if (row.state === "reverted" || row.state === "refused" || row.state === "cancelled") {
    return { state: "failed", reason: row.reason ?? row.state };
  }
  return { state: "pending" };
}

function select(database: Database) {
  return database
    .selectFrom("anchors")
    .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .select(["anchors.id", "anchors.hash", "anchors.size", "anchors.transaction_id", ...OUTCOME_COLUMNS]);
}

function toAnchors(
  rows: readonly (Pick<AnchorRow, "id" | "hash" | "size" | "transaction_id"> & OutcomeRow)[],
): StoredAnchor[] {
  return rows.flatMap((row) =>
    row.hash === null || row.transaction_id === null
      ? []
      : [
          {
            id: row.id,
            hash: row.hash,
            size: row.size,
            transactionId: row.transaction_id,
            outcome: toAnchorOutcome(row),
          },
        ],
  );
}

export function anchorStore(database: Database, key: JournalKey | undefined): AnchorStore {
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
      await database
        .updateTable("anchors")
        .set({ hash, size, transaction_id: transactionId })
        .where("id", "=", id)
        .execute();
    },

    async leftOpen() {
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
      for (const entry of await proofsUnder(database, key, id)) {
        const own = leaves.get(entry.leaf) ?? [];
        leaves.set(entry.leaf, own);
        const recorded = recordHashOf(entry);
        // Proofs that share a leaf have the same recorded hash; others do not give the content of the anchor.
        if (!own.some((each) => equalBytes(each, recorded))) own.push(recorded);
      }
      return [...leaves].sort(([a], [b]) => a - b).flatMap(([, hashes]) => hashes);
    },

    async states(ids) {
      const states = new Map<number, AnchorState>();
      const rows = await database
        .selectFrom("anchors")
        .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
        .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
        .select(["anchors.id", "anchors.hash", "anchors.size", ...OUTCOME_COLUMNS])
        .where(isAmong(database, "anchors.id", ids))
        .execute();
      for (const { id, hash, size, ...row } of rows) {
        states.set(id, { outcome: toAnchorOutcome(row), content: hash === null ? undefined : { hash, size } });
      }
      return states;
    },

    async find(id) {
      return toAnchors(await select(database).where("anchors.id", "=", id).execute())[0];
    },

    async byHash(hash) {
      return toAnchors(await select(database).where("anchors.hash", "=", hash).execute())[0];
    },

    async byTransaction(transactionHash) {
      const confirmed = await database
        .selectFrom("confirmations")
        .select("anchor_id")
        .where("transaction_hash", "=", transactionHash)
        .executeTakeFirst();
      const found = select(database);
      const rows =
        confirmed === undefined
          ? await found.where("transactions.hash", "=", transactionHash).execute()
          : await found.where("anchors.id", "=", confirmed.anchor_id).execute();
      return toAnchors(rows)[0];
    },

    async superseded(ids) {
      const found = new Map<number, BlockInclusion[]>();
      const rows = await database
        .selectFrom("confirmations")
        .innerJoin("anchors", "anchors.id", "confirmations.anchor_id")
        .select(["confirmations.anchor_id", "contract", "transaction_hash", "block_number"])
        .select(["block_hash", "block_time", "validator"])
        .where(isAmong(database, "confirmations.anchor_id", ids))
        .where((e) =>
          e.or([
            e("anchors.confirmation", "is", null),
            e("anchors.confirmation", "!=", e.ref("confirmations.sequence")),
          ]),
        )
        .orderBy("confirmations.sequence")
        .execute();
      for (const row of rows) {
        const { contract, transaction_hash: transactionHash, block_number: number } = row;
        const block = { number, hash: row.block_hash, time: row.block_time, validator: row.validator };
        const positions = found.get(row.anchor_id) ?? [];
        found.set(row.anchor_id, [...positions, { contract, transactionHash, block }]);
      }
      return found;
    },

    async inFlight() {
      const rows = await Promise.all(
        IN_FLIGHT.map((state) => select(database).where(state).orderBy("anchors.id").execute()),
      );
      return toAnchors(rows.flat());
    },

    async failed() {
      return toAnchors(await select(database).where(FAILED).orderBy("anchors.id").execute());
    },

    async retry(id, transactionId) {
      await database.updateTable("anchors").set({ transaction_id: transactionId }).where("id", "=", id).execute();
    },

    async newestCheckpoint() {
      const row = await database
        .selectFrom("anchors")
        .select(["checkpoint", "opened_at", "confirmation"])
        .where("checkpoint", "is not", null)
        .orderBy("checkpoint", "desc")
        .limit(1)
        .executeTakeFirst();
      if (row === undefined || row.checkpoint === null) return undefined;
      return { sequence: row.checkpoint, openedAt: row.opened_at, confirmation: row.confirmation ?? undefined };
    },

    async addCheckpoint({ sequence, hash, transactionId, openedAt }) {
      await database
        .insertInto("anchors")
        .values({
          first_sequence: sequence,
          hash,
          size: 0,
          transaction_id: transactionId,
          checkpoint: sequence,
          opened_at: openedAt,
        })
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
