import type { Database } from "../journal/engine/database.ts";
import type { ChatMessageRow } from "../journal/engine/schema.ts";

/** An update from a chat, stored until it is processed. */
export interface StoredUpdate {
  /** Telegram's number of the update. */
  readonly number: number;
  readonly body: Uint8Array;
  /** Progress of its processing; see {@link ChatStore.saveMemo}. */
  readonly memo: Uint8Array | undefined;
}

/** A queued message. */
export interface StoredMessage {
  readonly id: number;
  /** Messages of one chat are sent in order. */
  readonly chat: number;
  readonly body: Uint8Array;
  /** Earliest time to send, in Unix milliseconds. */
  readonly dueAt: number;
}

/** A message to enqueue. */
export type NewMessage = Omit<StoredMessage, "id"> & {
  /** Unique among queued messages: a message with the key of a queued message is discarded. */
  readonly key?: string;
};

/**
 * Storage of the bot. All bodies are encrypted. Updates are stored before they are acknowledged; an update's completion
 * and its reply are stored in one commit, so that a restart processes each pending update, and none twice.
 */
export interface ChatStore {
  /** @returns the updates that were not stored yet */
  receive(updates: readonly Omit<StoredUpdate, "memo">[], now: number): Promise<StoredUpdate[]>;
  /** Returns the updates that are not processed, in order. */
  pendingUpdates(): Promise<StoredUpdate[]>;
  /** Stores the progress of an update's processing, so that a restart does not repeat it. */
  saveMemo(number: number, memo: Uint8Array): Promise<void>;
  /** Marks an update as processed: deletes all of it except its number. */
  completeUpdate(number: number): Promise<void>;
  /** Deletes processed updates received before `time`, in Unix milliseconds. */
  deleteUpdatesBefore(time: number): Promise<void>;

  /** Returns the encrypted state of a user. */
  user(id: number): Promise<Uint8Array | undefined>;
  /** @param account Address of the user's account */
  saveUser(id: number, state: Uint8Array, account: string | undefined): Promise<void>;
  /** Returns the number of users. */
  users(): Promise<number>;

  /** Appends messages to the queue. */
  enqueue(messages: readonly NewMessage[]): Promise<void>;
  /** Returns the queued messages in order. */
  queuedMessages(): Promise<StoredMessage[]>;
  /** Returns the queued messages after `id`, in order. */
  queuedMessagesAfter(id: number): Promise<StoredMessage[]>;
  /** Deletes a sent or undeliverable message. */
  deleteMessage(id: number): Promise<void>;
}

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
