import { z } from "zod";
import type { BotJournal } from "./journal.ts";
import { QUESTIONS } from "./form.ts";
import type { Seal } from "./seal.ts";

const Source = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("typed") }),
  z.object({ kind: z.literal("http"), url: z.string(), path: z.string() }),
]);

const Form = z.object({
  name: z.string(),
  device: z.string(),
  place: z.object({ lat: z.number(), lng: z.number() }),
  title: z.string(),
  source: Source,
});

/** What is known of somebody who wrote to the bot. */
export const User = z.object({
  form: Form.optional(),
  draft: z.object({ step: z.enum([...QUESTIONS, "confirm"]), values: Form.partial(), edits: z.boolean() }).optional(),
  /** The command whose input comes with the next message. */
  awaits: z.enum(["pm", "decode", "decompress"]).optional(),
  /** The account that was made for them; with its key the bot signs what they send. */
  account: z.object({ address: z.string(), signingKey: z.string() }).optional(),
});

export type User = z.output<typeof User>;

/** Those whom the bot knows. */
export class Users {
  readonly #journal: BotJournal;
  readonly #seal: Seal;

  constructor(journal: BotJournal, seal: Seal) {
    this.#journal = journal;
    this.#seal = seal;
  }

  async find(id: number): Promise<User> {
    const state = await this.#journal.chats.user(id);
    return state === undefined ? {} : User.parse(this.#seal.open(placeOf(id), state));
  }

  /** @param journal In which it is written together with other things */
  async save(journal: BotJournal, id: number, user: User): Promise<void> {
    await journal.chats.saveUser(id, this.#seal.close(placeOf(id), user), user.account?.address);
  }
}

function placeOf(id: number): string {
  return `user ${id}`;
}
