import type { Confirmation, ReconciliationStore } from "./divergence.ts";
import { confirmAnchors } from "../entries/confirmations.ts";
import type { Database } from "../engine/database.ts";
import { inTransaction } from "../entries/entry-log.ts";
import { rowsOf } from "../entries/journal-rows.ts";
import { isFound, readTables } from "../entries/entry-tables.ts";
import type { JournalKey } from "../integrity/journal-key.ts";

const RESOLUTIONS_AT_ONCE = 500;

export function reconciliationStore(database: Database, key: JournalKey | undefined): ReconciliationStore {
  const select = () =>
    database
      .selectFrom("anchors")
      .innerJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
      .select([
        "confirmations.sequence",
        "anchors.id",
        "anchors.transaction_id",
        "anchors.hash as anchor_hash",
        "anchor_id",
      ])
      .select(["confirmations.hash", "confirmations.size", "confirmations.checkpoint"])
      .select(["transaction_hash", "block_number", "block_hash", "block_time", "validator"]);

  const toConfirmations = (rows: Awaited<ReturnType<ReturnType<typeof select>["execute"]>>): Confirmation[] =>
    rows.flatMap(
      ({
        sequence,
        id,
        transaction_id: transactionId,
        anchor_hash: anchorHash,
        hash,
        size,
        transaction_hash: transactionHash,
        ...row
      }) => {
        if (transactionId === null || anchorHash === null) return [];
        const anchor = { id, hash: anchorHash };
        const isOwn = row.anchor_id === id && Buffer.compare(hash, anchorHash) === 0;
        const block = {
          number: row.block_number,
          hash: row.block_hash,
          time: row.block_time,
          validator: row.validator,
        };
        return [
          {
            sequence,
            anchor,
            isOwn,
            checkpoint: row.checkpoint ?? undefined,
            transactionId,
            hash,
            size,
            transactionHash,
            block,
          },
        ];
      },
    );

  return {
    async progress() {
      const row = await database.selectFrom("reconciliation").selectAll().executeTakeFirst();
      if (row === undefined) return { confirmation: 0, block: undefined, passedAt: undefined, fullPassedAt: undefined };
      const { confirmation, block_number: number, block_hash: hash, passed_at, full_passed_at } = row;
      return {
        confirmation,
        block: number === null || hash === null ? undefined : { number, hash },
        passedAt: passed_at ?? undefined,
        fullPassedAt: full_passed_at ?? undefined,
      };
    },

    async save({ confirmation, block, passedAt, fullPassedAt }) {
      const row = {
        confirmation,
        block_number: block?.number ?? null,
        block_hash: block?.hash ?? null,
        passed_at: passedAt ?? null,
        full_passed_at: fullPassedAt ?? null,
      };
      await database
        .insertInto("reconciliation")
        .values({ id: 1, ...row })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
    },

    async divergences() {
      const rows = await database.selectFrom("divergences").selectAll().orderBy("found_at").execute();
      return rows.map(({ subject, message, found_at: foundAt }) => ({ subject, message, foundAt }));
    },

    async resolutionsAfter(sequence) {
      const rows = await database
        .selectFrom("resolutions")
        .select("sequence")
        .where("sequence", ">", sequence)
        .orderBy("sequence")
        .limit(RESOLUTIONS_AT_ONCE)
        .execute();
      return rows.map((row) => row.sequence);
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
      const { numDeletedRows } = await database
        .deleteFrom("divergences")
        .where("subject", "=", subject)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },

    async confirmations(after, limit) {
      const rows = await select()
        .where("confirmations.sequence", ">", after)
        .orderBy("confirmations.sequence")
        .limit(limit)
        .execute();
      return toConfirmations(rows);
    },

    async newestConfirmations(limit) {
      return toConfirmations(await select().orderBy("confirmations.sequence", "desc").limit(limit).execute());
    },

    reconfirm: (transactionId, { block, ...mined }) =>
      inTransaction(database, async (transaction) => {
        await transaction
          .updateTable("transactions")
          .set({
            block_number: block.number,
            block_hash: block.hash,
            block_time: block.time,
            validator: block.validator,
          })
          .where("id", "=", transactionId)
          .execute();
        await confirmAnchors(transaction, key, new Map([[transactionId, { block, ...mined }]]));
      }),

    async isGenuine(sequence) {
      const tables = await readTables(database, sequence - 1, sequence);
      try {
        const [row] = await rowsOf(database, key, [sequence]);
        return row !== undefined && isFound(tables, { sequence, text: row.text(sequence) });
      } catch (error) {
        if (error instanceof RangeError) return false;
        throw error;
      }
    },

    async anchor(hash) {
      const row = await database
        .selectFrom("anchors")
        .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
        .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
        .select([
          "anchors.id",
          "anchors.size",
          "transactions.id as transaction_id",
          "transactions.hash as transaction_hash",
          "state",
          "confirmations.sequence",
        ])
        .where("anchors.hash", "=", hash)
        .executeTakeFirst();
      return (
        row && {
          id: row.id,
          size: row.size,
          transactionId: row.transaction_id,
          transactionHash: row.transaction_hash ?? undefined,
          isMined: row.state === "confirmed",
          isConfirmed: row.sequence !== null,
        }
      );
    },
  };
}
