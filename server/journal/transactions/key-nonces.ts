import { sql } from "kysely";
import type { Filler } from "../../chain/transaction.ts";
import type { NonceStore } from "../../chain/transactions/types.ts";
import type { Database } from "../engine/database.ts";

/** The nonces of keys, as the journal has them. */
export function keyNonces(database: Database): NonceStore {
  return {
    async highest(sender, below) {
      const row = await database
        .selectFrom("transactions")
        .select(["id", "nonce", "raw"])
        .where("sender", "=", sender)
        .where("nonce", "<", below)
        .orderBy("nonce", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined || row.nonce === null
        ? undefined
        : { id: row.id, nonce: row.nonce, raw: row.raw ?? new Uint8Array() };
    },

    renumber: (id, sender, nonce) =>
      database.transaction().execute(async (transaction) => {
        const others = transaction.selectFrom("transactions").select("id").where("sender", "=", sender);
        const isFree = nonce !== undefined && (await others.where("nonce", "=", nonce).execute()).length === 0;
        const to = { nonce: isFree ? nonce : null };
        await transaction.updateTable("transactions").set(to).where("id", "=", id).execute();
      }),

    async minedNonces() {
      // Skips from one key to the next in the index: there are few keys, with many transactions each.
      const { rows: keys } = await sql<{ sender: string }>`
        with recursive keys(sender) as (
          select min(sender) from transactions
          union all
          select (select min(sender) from transactions where transactions.sender > keys.sender)
          from keys where keys.sender is not null
        )
        select sender from keys where sender is not null`.execute(database);
      const completed: { key: string; nonces: number }[] = [];
      for (const { sender } of keys) {
        const row = await database
          .selectFrom("transactions")
          .select("nonce")
          .where("sender", "=", sender)
          .where("nonce", "is not", null)
          .where("state", "in", ["confirmed", "reverted"])
          .orderBy("nonce", "desc")
          .limit(1)
          .executeTakeFirst();
        if (row?.nonce !== undefined && row.nonce !== null) completed.push({ key: sender, nonces: row.nonce + 1 });
      }
      return completed;
    },

    async lastMined(sender, beforeNonce) {
      const row = await database
        .selectFrom("transactions")
        .select(["nonce", "block_number", "block_hash"])
        .where("sender", "=", sender)
        .where("nonce", "<", beforeNonce)
        .where("block_number", "is not", null)
        .orderBy("nonce", "desc")
        .limit(1)
        .executeTakeFirst();
      if (row === undefined || row.nonce === null || row.block_number === null || row.block_hash === null)
        return undefined;
      return { nonce: row.nonce, block: row.block_number, blockHash: row.block_hash };
    },

    fill: (fillers) =>
      database.transaction().execute(async (transaction) => {
        const ids: number[] = [];
        for (const filler of fillers) ids.push(await insertFiller(transaction, filler));
        return ids;
      }),
  };
}

async function insertFiller(transaction: Database, { sender, nonce, raw, hash }: Filler): Promise<number> {
  const { id } = await transaction
    .insertInto("transactions")
    .values({
      purpose: "nonce_filler",
      to_address: sender,
      state: "sent",
      sender,
      nonce,
      raw,
      hash,
      created_at: Date.now(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
