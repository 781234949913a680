import type { Database } from "../journal/engine/database.ts";

/** An update from a chat, stored until it is processed. */
export interface StoredUpdate {
  /** Telegram's number of the update. */
  readonly number: number;
  readonly body: Uint8Array;
  /** Progress of its processing; see {@link ChatStore.saveMemo}. */
  readonly memo: Uint8Array | undefined;
}

/** A message that is deleted later. */
export interface MessageDeletion {
  readonly chat: number;
  readonly message: number;
  /** Unix milliseconds. */
  readonly dueAt: number;
}

export function chatStore(database: Database) {
  return {
    /** @returns the updates that were not stored yet */
    async receive(updates: readonly Omit<StoredUpdate, "memo">[], now: number): Promise<StoredUpdate[]> {
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

    /** Returns the updates that are not processed, in order. */
    async pendingUpdates(): Promise<StoredUpdate[]> {
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

    /** Stores the progress of an update's processing, so that a restart does not repeat it. */
    async saveMemo(number: number, memo: Uint8Array): Promise<void> {
      await database.updateTable("chat_updates").set({ memo }).where("number", "=", number).execute();
    },

    /** Marks an update as processed: deletes all of it except its number. */
    async completeUpdate(number: number): Promise<void> {
      await database.updateTable("chat_updates").set({ body: null, memo: null }).where("number", "=", number).execute();
    },

    /** Deletes processed updates received before `time`, in Unix milliseconds. */
    async deleteUpdatesBefore(time: number): Promise<void> {
      await database.deleteFrom("chat_updates").where("received_at", "<", time).where("body", "is", null).execute();
    },

    /** Returns the encrypted state of a user. */
    async user(id: number): Promise<Uint8Array | undefined> {
      const row = await database.selectFrom("chat_users").select("state").where("id", "=", id).executeTakeFirst();
      return row?.state;
    },

    /** @param account Address of the user's account */
    async saveUser(id: number, state: Uint8Array, account: string | undefined): Promise<void> {
      const values = { state, account: account ?? null };
      await database
        .insertInto("chat_users")
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
        .execute();
    },

    /** Returns the number of users. */
    async users(): Promise<number> {
      const { count } = await database
        .selectFrom("chat_users")
        .select((e) => e.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },

    async addDeletions(deletions: readonly MessageDeletion[]): Promise<void> {
      if (deletions.length === 0) return;
      const rows = deletions.map(({ chat, message, dueAt }) => ({ chat, message, due_at: dueAt }));
      await database.insertInto("chat_deletions").values(rows).execute();
    },

    async deletions(): Promise<MessageDeletion[]> {
      const rows = await database.selectFrom("chat_deletions").selectAll().execute();
      return rows.map(({ chat, message, due_at }) => ({ chat, message, dueAt: due_at }));
    },

    async removeDeletion({ chat, message }: MessageDeletion): Promise<void> {
      await database.deleteFrom("chat_deletions").where("chat", "=", chat).where("message", "=", message).execute();
    },
  };
}

/**
 * Storage of the bot. All bodies are encrypted. Updates are stored before they are acknowledged; an update's completion
 * and its effect on the user are stored in one commit, so that a restart processes each pending update, and none twice.
 */
export type ChatStore = ReturnType<typeof chatStore>;
