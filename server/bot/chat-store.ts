/** Something that came from a chat, as it is kept until it is answered. */
export interface StoredUpdate {
  /** The messenger's own number of it. */
  readonly number: number;
  readonly body: Uint8Array;
  /** What its answer has begun already; see {@link ChatStore.note}. */
  readonly memo: Uint8Array | undefined;
}

/** Something that is to be said. */
export interface StoredMessage {
  readonly id: number;
  /** Those of one chat are said in their order. */
  readonly chat: number;
  readonly body: Uint8Array;
  /** Unix milliseconds: not before. */
  readonly dueAt: number;
}

/** Something new to be said. */
export type NewMessage = Omit<StoredMessage, "id"> & {
  /** Of those that wait, no two have the same key: one that has it already takes the place of another. */
  readonly key?: string;
};

/**
 * What the bot has to remember. What is said in chats is no business of who reads the database: bodies come sealed.
 * What came is kept before it is acknowledged, and what is answered with it is written in one step with the answer's
 * messages, so that a restart answers what was not answered, and nothing twice.
 */
export interface ChatStore {
  /** @returns those that were not known */
  receive(updates: readonly Omit<StoredUpdate, "memo">[], now: number): Promise<StoredUpdate[]>;
  /** What was received and is not answered, in order. */
  unanswered(): Promise<StoredUpdate[]>;
  /** Remembers with an update what its answer has begun, so that it is not begun once more. */
  note(number: number, memo: Uint8Array): Promise<void>;
  /** Says that an update was answered: all that is left of it is its number. */
  answered(number: number): Promise<void>;
  /** Forgets the numbers of what was answered and came before `time`, in Unix milliseconds. */
  forgetBefore(time: number): Promise<void>;

  /** What is known of somebody. */
  user(id: number): Promise<Uint8Array | undefined>;
  /** @param account Address of the account that was made for them */
  saveUser(id: number, state: Uint8Array, account: string | undefined): Promise<void>;
  /** How many are known. */
  users(): Promise<number>;

  /** Puts messages behind those that wait already. */
  say(messages: readonly NewMessage[]): Promise<void>;
  /** What is not said yet, in order. */
  unsaid(): Promise<StoredMessage[]>;
  /** Those that came after `id`, in order. */
  unsaidAfter(id: number): Promise<StoredMessage[]>;
  /** Says that a message was said, or that nobody will ever hear it. */
  said(id: number): Promise<void>;
}
