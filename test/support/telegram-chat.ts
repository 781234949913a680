import { assert } from "chai";
import { eventually } from "./eventually.ts";

/** A message of the bot in a chat. */
export interface ChatMessage {
  readonly id: number;
  readonly kind: "text" | "document" | "photo" | "animation";
  /** The text, or the caption of a file. */
  readonly text: string;
  /** Inline buttons of the message, by their labels. */
  readonly buttons: ReadonlyMap<string, string>;
  /** Keys of its reply keyboard; `undefined` without a change, empty when it removes the keyboard. */
  readonly keys: readonly string[] | undefined;
  readonly file: { readonly name: string; readonly content: Buffer } | undefined;
  readonly entities: readonly { type: string; offset: number; length: number }[];
  isDeleted: boolean;
}

/** The part of the server that a chat uses. */
export interface ChatServer {
  /** Sends an update to the bot. */
  deliver(content: object): number;
  nextMessage(): number;
  newQuery(chat: Chat): string;
  keepFile(content: Buffer): string;
}

/** A person, or a group, on Telegram's side. */
export class Chat {
  readonly #server: ChatServer;
  readonly id: number;
  readonly language: string;
  readonly type: "private" | "group";
  readonly sender: number;
  readonly messages: ChatMessage[] = [];
  readonly buttonResponses: { readonly id: string; readonly text: string | undefined }[] = [];
  hasBlocked = false;

  constructor(server: ChatServer, id: number, language: string, sender = id) {
    this.#server = server;
    this.id = id;
    this.language = language;
    this.type = id < 0 ? "group" : "private";
    this.sender = sender;
  }

  /** Sends a text. */
  write(text: string): number {
    return this.#message({ text });
  }

  share(latitude: number, longitude: number): number {
    return this.#message({ location: { latitude, longitude } });
  }

  sendDocument(content: string | Uint8Array, caption?: string): number {
    const bytes = Buffer.from(content);
    const file_id = this.#server.keepFile(bytes);
    return this.#message({
      document: { file_id, file_unique_id: file_id, file_size: bytes.length },
      ...(caption === undefined ? {} : { caption }),
    });
  }

  sendSticker(): number {
    return this.#message({ sticker: { file_id: "x" } });
  }

  /** Presses a button of the newest message that has it. */
  press(label: string): number {
    const message =
      this.messages.findLast(({ buttons }) => buttons.has(label)) ?? assert.fail(`there is no button ${label}`);
    return this.pressData(message.buttons.get(label) ?? "", message.id);
  }

  pressData(data: string, message_id = 1): number {
    const id = this.#server.newQuery(this);
    return this.#server.deliver({
      callback_query: {
        id,
        from: this.#from(),
        chat_instance: "1",
        data,
        message: { message_id, date: 1, chat: this.#chat() },
      },
    });
  }

  /** Runs an action and returns the messages that follow: exactly as many as expected. */
  async after(act: () => unknown, count = 1): Promise<[ChatMessage, ...ChatMessage[]]> {
    const before = this.messages.length;
    act();
    return this.#news(before, count);
  }

  /** Sends a text and returns the one message that follows. */
  async request(text: string): Promise<ChatMessage> {
    return (await this.after(() => this.write(text)))[0];
  }

  async #news(before: number, count: number): Promise<[ChatMessage, ...ChatMessage[]]> {
    return eventually(async () => {
      const [first, ...others] = this.messages.slice(before);
      assert.lengthOf([first, ...others], count, JSON.stringify(this.messages.slice(before).map(({ text }) => text)));
      return [first ?? assert.fail("nothing is said"), ...others];
    });
  }

  #message(content: object): number {
    return this.#server.deliver({
      message: { message_id: this.#server.nextMessage(), date: 1, chat: this.#chat(), from: this.#from(), ...content },
    });
  }

  #chat(): object {
    return { id: this.id, type: this.type };
  }

  #from(): object {
    return { id: this.sender, is_bot: false, first_name: "P", language_code: this.language };
  }
}
