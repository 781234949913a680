import { sql, type SqlBool } from "kysely";
import type { Address } from "../domain/transaction.ts";
import { type AnchorOutcome, hashesUnder, type StoredAnchor } from "../domain/proofs/anchor.ts";
import type { AnchorStore, SplitPart } from "../domain/proofs/stores.ts";
import type { Database } from "./database.ts";
import type { AnchorRow, TransactionRow } from "./schema.ts";
import { blockOf } from "./transactions.ts";

// As in the indexes on what is under way and what failed, which are used only for the very same words.
export const UNDER_WAY = [sql<SqlBool>`transactions.state = 'queued'`, sql<SqlBool>`transactions.state = 'sent'`];
const FAILED = sql<SqlBool>`transactions.state in ('reverted', 'refused', 'cancelled')`;

/** The columns of a transaction that say where an anchor stands. */
export const OUTCOME_COLUMNS = [
  "transactions.state",
  "transactions.reason",
  "transactions.hash as transaction_hash",
  "transactions.block_number",
  "transactions.block_hash",
  "transactions.block_time",
  "transactions.validator",
] as const;

/** What the outcome columns hold; all empty for an anchor without a transaction. */
export type OutcomeRow = {
  [Column in "state" | "reason" | "block_number" | "block_hash" | "block_time" | "validator"]: TransactionRow[Column] | null;
} & { transaction_hash: Uint8Array | null };

export function toAnchorOutcome(row: OutcomeRow): AnchorOutcome {
  if (row.state === null || row.state === "queued" || row.state === "sent") return { state: "pending" };
  const block = blockOf(row);
  if (row.state === "confirmed" && block !== undefined && row.transaction_hash !== null) {
    return { state: "confirmed", transactionHash: row.transaction_hash, block };
  }
  return { state: "failed", reason: row.reason ?? row.state };
}

function select(database: Database) {
  return database
    .selectFrom("anchors")
    .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select(["anchors.id", "anchors.hash", "anchors.size", "anchors.transaction_id", ...OUTCOME_COLUMNS]);
}

function toAnchors(rows: readonly (Pick<AnchorRow, "id" | "hash" | "size" | "transaction_id"> & OutcomeRow)[]): StoredAnchor[] {
  return rows.flatMap((row) =>
    row.hash === null || row.transaction_id === null
      ? []
      : [{ id: row.id, hash: row.hash, size: row.size, transactionId: row.transaction_id, outcome: toAnchorOutcome(row) }],
  );
}

/** @param relayer Whose anchors are opened here */
export function anchorStore(database: Database, relayer: Address): AnchorStore {
  const insert = async (openedAt: number, content?: SplitPart): Promise<number> => {
    const { hash = null, size = 0, transactionId = null } = content ?? {};
    const { id } = await database
      .insertInto("anchors")
      .values({ hash, size, transaction_id: transactionId, relayer, opened_at: openedAt })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
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
    open: (openedAt) => insert(openedAt),

    async isOpen(id) {
      const row = await database.selectFrom("anchors").select("transaction_id").where("id", "=", id).executeTakeFirst();
      return row?.transaction_id === null;
    },

    async close(id, { hash, size, transactionId }) {
      await database
        .updateTable("anchors")
        .set({ hash, size, transaction_id: transactionId, relayer })
        .where("id", "=", id)
        .execute();
    },

    async leftOpen(othersBefore) {
      const rows = await database
        .selectFrom("anchors")
        .select("id")
        .where("transaction_id", "is", null)
        .where((e) => e.or([e("relayer", "=", relayer), e("opened_at", "<", othersBefore)]))
        .orderBy("id")
        .execute();
      return rows.map(({ id }) => id);
    },

    async leaves(id) {
      const rows = await database
        .selectFrom("proofs")
        .select(["leaf_index", "record_hash"])
        .where("anchor_id", "=", id)
        .orderBy("leaf_index")
        .execute();
      return rows.filter((row, index) => row.leaf_index !== rows[index - 1]?.leaf_index).map((row) => row.record_hash);
    },

    async find(id) {
      return toAnchors(await select(database).where("anchors.id", "=", id).execute())[0];
    },

    async byHash(hash) {
      return toAnchors(await select(database).where("anchors.hash", "=", hash).execute())[0];
    },

    async byTransaction(transactionHash) {
      return toAnchors(await select(database).where("transactions.hash", "=", transactionHash).execute())[0];
    },

    async underWay() {
      const rows = await Promise.all(
        UNDER_WAY.map((state) =>
          select(database).where("anchors.relayer", "=", relayer).where(state).orderBy("anchors.id").execute(),
        ),
      );
      return toAnchors(rows.flat());
    },

    async failed() {
      return toAnchors(await select(database).where(FAILED).orderBy("anchors.id").execute());
    },

    async retry(id, transactionId) {
      await database.updateTable("anchors").set({ transaction_id: transactionId }).where("id", "=", id).execute();
    },

    async split(id, parts) {
      const { opened_at } = await database
        .selectFrom("anchors")
        .select("opened_at")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      const ids: number[] = [];
      let first = 0;
      for (const part of parts) {
        const partId = await insert(opened_at, part);
        const end = first + hashesUnder(part);
        await database
          .updateTable("proofs")
          .set((e) => ({ anchor_id: partId, leaf_index: e("leaf_index", "-", first) }))
          .where("anchor_id", "=", id)
          .where("leaf_index", ">=", first)
          .where("leaf_index", "<", end)
          .execute();
        ids.push(partId);
        first = end;
      }
      await database.deleteFrom("anchors").where("id", "=", id).execute();
      return ids;
    },

    async oldestUnconfirmed() {
      const open = await database
        .selectFrom("anchors")
        .select((e) => e.fn.min<number | null>("opened_at").as("oldest"))
        .where("transaction_id", "is", null)
        .executeTakeFirstOrThrow();
      const times = [open.oldest, ...(await Promise.all([...UNDER_WAY, FAILED].map(oldest)))];
      const known = times.filter((time) => time !== null);
      return known.length === 0 ? undefined : Math.min(...known);
    },
  };
}
