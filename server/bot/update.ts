import * as z from "zod";
import type { Position } from "../../air-quality/index.ts";
import type { Language } from "./texts/texts.ts";

/** Kinds of updates that Telegram sends to the bot. */
export const UPDATE_KINDS = ["message", "callback_query"] as const;

const From = z.object({ id: z.int(), is_bot: z.boolean().optional(), language_code: z.string().optional() });
const Chat = z.object({ id: z.int(), type: z.string() });

const TelegramMessage = z.object({
  chat: Chat,
  from: From.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  location: z.object({ latitude: z.number(), longitude: z.number() }).optional(),
  document: z.object({ file_id: z.string(), file_size: z.number().optional() }).optional(),
});

const Update = z.object({
  update_id: z.int().min(0),
  message: TelegramMessage.optional(),
  callback_query: z
    .object({ id: z.string(), from: From, data: z.string().optional(), message: z.object({ chat: Chat }).optional() })
    .optional(),
});

/** A sent document. */
export interface SentDocument {
  readonly fileId: string;
  /** Size in bytes, if Telegram reports it. */
  readonly size: number | undefined;
}

export type Content =
  | { readonly kind: "text"; readonly text: string; readonly document?: SentDocument | undefined }
  | { readonly kind: "location"; readonly location: Position }
  | { readonly kind: "button_press"; readonly id: string; readonly data: string }
  | { readonly kind: "other" };

/** A message or button press. */
export interface Incoming {
  readonly chat: number;
  /** Whether the chat is private. */
  readonly isPrivate: boolean;
  readonly sender: number;
  readonly language: Language;
  readonly content: Content;
}

/** Returns the number of an update; `undefined` for invalid updates. */
export function updateNumber(update: unknown): number | undefined {
  return Update.pick({ update_id: true }).safeParse(update).data?.update_id;
}

/** Parses an update; returns `undefined` for irrelevant ones. */
export function readUpdate(update: unknown): Incoming | undefined {
  const { message, callback_query: press } = Update.safeParse(update).data ?? {};
  if (press?.message !== undefined)
    return incoming(press.message.chat, press.from, { kind: "button_press", id: press.id, data: press.data ?? "" });
  if (message?.from === undefined || message.from.is_bot === true) return undefined;
  return incoming(message.chat, message.from, contentOf(message));
}

function incoming(chat: z.output<typeof Chat>, from: z.output<typeof From>, content: Content): Incoming {
  const language = from.language_code?.toLowerCase().startsWith("ru") === true ? "ru" : "en";
  return { chat: chat.id, isPrivate: chat.type === "private", sender: from.id, language, content };
}

function contentOf({ text, caption, location, document }: z.output<typeof TelegramMessage>): Content {
  if (location !== undefined)
    return { kind: "location", location: { lat: location.latitude, lng: location.longitude } };
  if (document !== undefined)
    return { kind: "text", text: caption ?? "", document: { fileId: document.file_id, size: document.file_size } };
  return text === undefined ? { kind: "other" } : { kind: "text", text };
}
