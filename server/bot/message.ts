import { z } from "zod";

const Button = z.object({ text: z.string(), data: z.string() });

const Keyboard = z.discriminatedUnion("kind", [
  /** Under the message. */
  z.object({ kind: z.literal("buttons"), rows: z.array(z.array(Button)) }),
  /** In the place of the keyboard; the first key sends where the phone is. */
  z.object({ kind: z.literal("place"), share: z.string(), keys: z.array(z.string()) }),
  z.object({ kind: z.literal("none") }),
]);

/** Something to be said in a chat, as it waits in the database. */
export const Message = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    keyboard: Keyboard.optional(),
    /** Pieces of the text that are shown so that a touch copies them. */
    code: z.array(z.string()).optional(),
    /** After this long it is deleted. */
    lifetimeMilliseconds: z.number().optional(),
  }),
  /** A file, a picture or an animation, in base64. */
  z.object({
    kind: z.enum(["file", "picture", "animation"]),
    name: z.string(),
    content: z.string(),
    caption: z.string(),
  }),
  /** That a button was touched. */
  z.object({ kind: z.literal("touched"), id: z.string(), text: z.string().optional() }),
  z.object({ kind: z.literal("delete"), message: z.number() }),
]);

export type Message = z.output<typeof Message>;
export type Keyboard = z.output<typeof Keyboard>;

/** The most characters that Telegram takes in a message. */
const LONGEST_TEXT = 4096;

/** A text as a message; as a file with a line that says what it is when it is too long for one. */
export function textMessage(text: string, name: string, caption: string): Message {
  if (text.length <= LONGEST_TEXT) return { kind: "text", text };
  return { kind: "file", name, content: Buffer.from(text).toString("base64"), caption };
}
