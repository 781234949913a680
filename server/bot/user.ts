import * as z from "zod";
import type { BotJournal } from "./journal.ts";
import { QUESTIONS } from "./form.ts";
import type { BotCipher } from "./bot-cipher.ts";

const Source = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("typed") }),
  z.object({ kind: z.literal("http"), url: z.string(), path: z.string() }),
]);

const Form = z.object({
  name: z.string(),
  device: z.string(),
  location: z.object({ lat: z.number(), lng: z.number() }),
  title: z.string(),
  source: Source,
});

/** State of a user. */
export const User = z.object({
  form: Form.optional(),
  draft: z.object({ step: z.enum([...QUESTIONS, "confirm"]), values: Form.partial(), edits: z.boolean() }).optional(),
  /** The command that waits for input in the next message. */
  awaits: z.enum(["pm", "decode", "decompress"]).optional(),
  /** The user's account. The bot signs the user's records with its key. */
  account: z.object({ address: z.string(), signingKey: z.string() }).optional(),
});

export type User = z.output<typeof User>;

/** Stores the users, encrypted. */
export class Users {
  readonly #journal: BotJournal;
  readonly #cipher: BotCipher;

  constructor(journal: BotJournal, cipher: BotCipher) {
    this.#journal = journal;
    this.#cipher = cipher;
  }

  async find(id: number): Promise<User> {
    const state = await this.#journal.chats.user(id);
    return state === undefined ? {} : User.parse(this.#cipher.decrypt(contextOf(id), state));
  }

  /** @param journal Journal of the commit that stores the user */
  async save(journal: BotJournal, id: number, user: User): Promise<void> {
    await journal.chats.saveUser(id, this.#cipher.encrypt(contextOf(id), user), user.account?.address);
  }
}

function contextOf(id: number): string {
  return `user ${id}`;
}
