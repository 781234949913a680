import { sql } from "kysely";
import type { RecordIndexStore } from "./record-index.ts";
import { accountStore } from "../sessions/index.ts";
import type { Database } from "../journal/engine/database.ts";

/** @param table Name of the indexed table on chain */
export function recordIndexStore(database: Database, table: string): RecordIndexStore {
  return {
    async progress() {
      const row = await database.selectFrom("index_progress").selectAll().executeTakeFirst();
      return row && { blockNumber: row.block_number, blockHash: row.block_hash };
    },

    async apply(entries, after, blockNumber, blockHash) {
      return database.transaction().execute(async (transaction) => {
        const progress = await transaction.selectFrom("index_progress").select("block_number").executeTakeFirst();
        if (progress?.block_number !== after) return false;
        const accounts = accountStore(transaction);
        for (const entry of entries) {
          if (entry.kind === "account") {
            await accounts.applyChange(entry.address, entry.change);
            continue;
          }
          const { row } = entry;
          const rowId = row.rowId.toString();
          // An overwritten row counts as new and moves to the end.
          await transaction.deleteFrom("records").where("row_id", "=", rowId).execute();
          await transaction
            .insertInto("records")
            .values({
              row_id: rowId,
              sender: row.sender,
              code: row.code,
              topic: row.topic,
              created_at: row.createdAt,
              payload: row.payload,
              transaction_hash: row.transactionHash,
              block_number: row.blockNumber,
            })
            .execute();
          if (row.rowId <= BigInt(Number.MAX_SAFE_INTEGER)) await raiseCounter(transaction, table, Number(row.rowId));
        }
        await transaction
          .insertInto("index_progress")
          .values({ id: 1, block_number: blockNumber, block_hash: blockHash })
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet({ block_number: blockNumber, block_hash: blockHash }),
          )
          .execute();
        return true;
      });
    },

    async drop() {
      await database.transaction().execute(async (transaction) => {
        await transaction.deleteFrom("records").execute();
        await transaction.deleteFrom("index_progress").execute();
      });
    },
  };
}

/** Raises the row counter, so that a row id on chain is never assigned again. */
async function raiseCounter(database: Database, table: string, rowId: number): Promise<void> {
  await database
    .insertInto("row_counters")
    .values({ table_name: table, last_row_id: rowId })
    .onConflict((conflict) =>
      conflict
        .column("table_name")
        .doUpdateSet({ last_row_id: rowId })
        .where(sql.ref("row_counters.last_row_id"), "<", rowId),
    )
    .execute();
}
