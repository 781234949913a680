import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { columnTypes } from "../portable-schema.ts";

/** What the bot remembers: what came and is not answered, who is who, and what is to be said. */
export const chats: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const types = columnTypes(db);
    await db.schema
      .createTable("chat_updates")
      .addColumn("number", "bigint", (c) => c.primaryKey())
      .addColumn("received_at", "bigint", (c) => c.notNull())
      .addColumn("body", types.bytes)
      .addColumn("memo", types.bytes)
      .execute();
    await db.schema
      .createTable("chat_users")
      .addColumn("id", "bigint", (c) => c.primaryKey())
      .addColumn("account", "text", (c) => c.unique())
      .addColumn("state", types.bytes, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("chat_messages")
      .addColumn("id", types.rowNumber, types.numbered)
      .addColumn("chat", "bigint", (c) => c.notNull())
      .addColumn("due_at", "bigint", (c) => c.notNull())
      .addColumn("message_key", "text", (c) => c.unique())
      .addColumn("body", types.bytes, (c) => c.notNull())
      .execute();
  },
};
