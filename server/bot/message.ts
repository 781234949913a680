import { z } from "zod";

const Button = z.object({ text: z.string(), data: z.string() });

const Keyboard = z.discriminatedUnion("kind", [
  /** Inline buttons. */
  z.object({ kind: z.literal("buttons"), rows: z.array(z.array(Button)) }),
  /** A reply keyboard; its first key shares the location. */
  z.object({ kind: z.literal("location"), share: z.string(), keys: z.array(z.string()) }),
  z.object({ kind: z.literal("none") }),
]);

/** A message to a chat, in the format of the queue. */
export const Message = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    keyboard: Keyboard.optional(),
    /** Parts of the text formatted as code, which a tap copies. */
    code: z.array(z.string()).optional(),
    /** Time after which the message is deleted. */
    lifetimeMilliseconds: z.number().optional(),
  }),
  /** A file, a picture or an animation in base64. */
  z.object({
    kind: z.enum(["file", "picture", "animation"]),
    name: z.string(),
    content: z.string(),
    caption: z.string(),
  }),
  /** Acknowledges a button press. */
  z.object({ kind: z.literal("button_response"), id: z.string(), text: z.string().optional() }),
  z.object({ kind: z.literal("delete"), message: z.number() }),
]);

export type Message = z.output<typeof Message>;
export type Keyboard = z.output<typeof Keyboard>;

/** Telegram's maximum of characters per message. */
const MAX_TEXT_LENGTH = 4096;

/** Creates a text message, or a file with a caption if the text is too long. */
export function textMessage(text: string, name: string, caption: string): Message {
  if (text.length <= MAX_TEXT_LENGTH) return { kind: "text", text };
  return { kind: "file", name, content: Buffer.from(text).toString("base64"), caption };
}
