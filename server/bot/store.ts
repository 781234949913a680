import type { ChatStore, StoredMessage } from "./chat-store.ts";
import type { Database } from "../journal/engine/database.ts";
import type { ChatMessageRow } from "../journal/engine/schema.ts";

function toMessage({ id, chat, body, due_at }: ChatMessageRow): StoredMessage {
  return { id, chat, body, dueAt: due_at };
}

export function chatStore(database: Database): ChatStore {
  const pendingAfter = async (id: number): Promise<StoredMessage[]> => {
    const rows = await database.selectFrom("chat_messages").selectAll().where("id", ">", id).orderBy("id").execute();
    return rows.map(toMessage);
  };

  return {
    async receive(updates, now) {
      const fresh = [];
      for (const { number, body } of updates) {
        const { numInsertedOrUpdatedRows } = await database
          .insertInto("chat_updates")
          .values({ number, body, memo: null, received_at: now })
          .onConflict((conflict) => conflict.column("number").doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 1n) fresh.push({ number, body, memo: undefined });
      }
      return fresh;
    },

    async pendingUpdates() {
      const rows = await database
        .selectFrom("chat_updates")
        .select(["number", "body", "memo"])
        .where("body", "is not", null)
        .orderBy("received_at")
        .orderBy("number")
        .execute();
      return rows.flatMap(({ number, body, memo }) =>
        body === null ? [] : [{ number, body, memo: memo ?? undefined }],
      );
    },

    async saveMemo(number, memo) {
      await database.updateTable("chat_updates").set({ memo }).where("number", "=", number).execute();
    },

    async completeUpdate(number) {
      await database.updateTable("chat_updates").set({ body: null, memo: null }).where("number", "=", number).execute();
    },

    async deleteUpdatesBefore(time) {
      await database.deleteFrom("chat_updates").where("received_at", "<", time).where("body", "is", null).execute();
    },

    async user(id) {
      const row = await database.selectFrom("chat_users").select("state").where("id", "=", id).executeTakeFirst();
      return row?.state;
    },

    async saveUser(id, state, account = undefined) {
      const values = { state, account: account ?? null };
      await database
        .insertInto("chat_users")
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
        .execute();
    },

    async users() {
      const { count } = await database
        .selectFrom("chat_users")
        .select((e) => e.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },

    async enqueue(messages) {
      for (const { chat, body, dueAt, key } of messages) {
        await database
          .insertInto("chat_messages")
          .values({ chat, body, due_at: dueAt, message_key: key ?? null })
          .onConflict((conflict) => conflict.column("message_key").doNothing())
          .execute();
      }
    },

    queuedMessages: () => pendingAfter(0),
    queuedMessagesAfter: pendingAfter,

    async deleteMessage(id) {
      await database.deleteFrom("chat_messages").where("id", "=", id).execute();
    },
  };
}
