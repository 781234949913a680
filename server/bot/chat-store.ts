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
