/** The keyboard of a message. */
export type Keyboard =
  /** Inline buttons. */
  | {
      readonly kind: "buttons";
      readonly rows: readonly (readonly { readonly text: string; readonly data: string }[])[];
    }
  /** A reply keyboard; its first key shares the location. */
  | { readonly kind: "location"; readonly share: string; readonly keys: readonly string[] }
  | { readonly kind: "none" };

/** A message to a chat. */
export type Message =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly keyboard?: Keyboard;
      /** Parts of the text formatted as code, which a tap copies. */
      readonly code?: readonly string[];
      /** Time after which the message is deleted. */
      readonly lifetimeMilliseconds?: number;
    }
  | {
      readonly kind: "file" | "picture" | "animation";
      readonly name: string;
      readonly content: Uint8Array;
      readonly caption: string;
    }
  /** Acknowledges a button press. */
  | { readonly kind: "button_response"; readonly id: string; readonly text?: string }
  | { readonly kind: "delete"; readonly message: number };

/** Telegram's maximum of characters per message. */
const MAX_TEXT_LENGTH = 4096;

/** Creates a text message, or a file with a caption if the text is too long. */
export function textMessage(text: string, name: string, caption: string): Message {
  if (text.length <= MAX_TEXT_LENGTH) return { kind: "text", text };
  return { kind: "file", name, content: Buffer.from(text), caption };
}
