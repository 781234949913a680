import type { Confirmation, ReconciliationStore } from "../domain/journal/reconciliation.ts";
import { confirmInBlocks } from "./confirmations.ts";
import type { Database } from "./database.ts";
import { inTransaction } from "./entry-log.ts";
import { digestFrom } from "./journal-source.ts";

/** @param holder Whose turns are taken here: one name for each process */
export function reconciliationStore(database: Database, holder: string): ReconciliationStore {
  const select = () =>
    database
      .selectFrom("anchors")
      .innerJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
      .select(["confirmations.sequence", "anchors.id", "anchors.transaction_id", "confirmations.hash", "confirmations.size"])
      .select(["transaction_hash", "block_number", "block_hash", "block_time", "validator"]);

  const toConfirmations = (rows: Awaited<ReturnType<ReturnType<typeof select>["execute"]>>): Confirmation[] =>
    rows.flatMap(({ sequence, id, transaction_id, hash, size, transaction_hash, ...row }) => {
      if (transaction_id === null) return [];
      const block = { number: row.block_number, hash: row.block_hash, time: row.block_time, validator: row.validator };
      return [{ sequence, anchorId: id, transactionId: transaction_id, hash, size, transactionHash: transaction_hash, block }];
    });

  return {
    takeTurn: (now, until) =>
      inTransaction(database, async (transaction) => {
        const row = await transaction.selectFrom("reconciliation").select(["holder", "held_until"]).executeTakeFirstOrThrow();
        if (row.holder !== null && row.holder !== holder && row.held_until > now) return false;
        await transaction.updateTable("reconciliation").set({ holder, held_until: until }).execute();
        return true;
      }),

    async progress() {
      const row = await database.selectFrom("reconciliation").selectAll().executeTakeFirstOrThrow();
      const { confirmation, block_number: number, block_hash: hash, passed_at, full_passed_at } = row;
      return {
        confirmation,
        block: number === null || hash === null ? undefined : { number, hash },
        passedAt: passed_at ?? undefined,
        fullPassedAt: full_passed_at ?? undefined,
      };
    },

    async save({ confirmation, block, passedAt, fullPassedAt }) {
      await database
        .updateTable("reconciliation")
        .set({
          confirmation,
          block_number: block?.number ?? null,
          block_hash: block?.hash ?? null,
          passed_at: passedAt ?? null,
          full_passed_at: fullPassedAt ?? null,
        })
        .execute();
    },

    async divergences() {
      const rows = await database.selectFrom("divergences").selectAll().orderBy("found_at").execute();
      return rows.map(({ subject, message, found_at: foundAt }) => ({ subject, message, foundAt }));
    },

    async raise({ subject, message, foundAt }) {
      const { numInsertedOrUpdatedRows } = await database
        .insertInto("divergences")
        .values({ subject, message, found_at: foundAt })
        .onConflict((conflict) => conflict.column("subject").doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async resolve(subject) {
      const { numDeletedRows } = await database.deleteFrom("divergences").where("subject", "=", subject).executeTakeFirst();
      return numDeletedRows === 1n;
    },

    async confirmations(after, limit) {
      const rows = await select().where("confirmations.sequence", ">", after).orderBy("confirmations.sequence").limit(limit).execute();
      return toConfirmations(rows);
    },

    async newestConfirmations(limit) {
      return toConfirmations(await select().orderBy("confirmations.sequence", "desc").limit(limit).execute());
    },

    confirmAgain: ({ transactionId }, block) =>
      inTransaction(database, async (transaction) => {
        await transaction
          .updateTable("transactions")
          .set({ block_number: block.number, block_hash: block.hash, block_time: block.time, validator: block.validator })
          .where("id", "=", transactionId)
          .execute();
        await confirmInBlocks(transaction, new Map([[transactionId, block]]));
      }),

    walk: async (from, to) => ({ sequence: to, digest: await digestFrom(database, from, to) }),

    async isKnown(hash) {
      const row = await database.selectFrom("anchors").select("id").where("hash", "=", hash).executeTakeFirst();
      return row !== undefined;
    },
  };
}
