import { reasonOf } from "../errors.ts";
import { AbortController as LibraryAbortController, type AbortSignal as LibraryAbortSignal } from "abort-controller";
import { Api, GrammyError, HttpError, InputFile } from "grammy";
import type { InlineKeyboardMarkup, MessageEntity, ReplyKeyboardMarkup, ReplyKeyboardRemove } from "grammy/types";
import { apiThrottler } from "@grammyjs/transformer-throttler";
import type { Keyboard, Message } from "./message.ts";
import { UPDATE_KINDS } from "./update.ts";

/** Longer than a long poll, and enough to upload an animation. */
const TIMEOUT_SECONDS = 90;
const FILE_TIMEOUT_MILLISECONDS = 30_000;

/** Telegram's limits: 30 messages per second, and one per second and chat with bursts. */
const RATES = {
  global: { reservoir: 30, reservoirRefreshAmount: 30, reservoirRefreshInterval: 1000 },
  out: {
    maxConcurrent: 1,
    reservoir: 20,
    reservoirIncreaseAmount: 1,
    reservoirIncreaseInterval: 1000,
    reservoirIncreaseMaximum: 20,
  },
  group: { maxConcurrent: 1, reservoir: 20, reservoirRefreshAmount: 20, reservoirRefreshInterval: 60_000 },
};

/** Address and token of the Bot API. */
export interface TelegramAddress {
  readonly token: string;
  readonly apiUrl: string;
}

/**
 * A failed call of the Bot API. Replaces the library's errors, which contain the bot's token in their URLs.
 */
export class TelegramError extends Error {
  /** Telegram's error code; `undefined` without a response. */
  readonly code: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, code?: number, retryAfterSeconds?: number) {
    super(message);
    this.name = "TelegramError";
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether a retry cannot succeed. */
  get isFinal(): boolean {
    return this.code !== undefined && this.code >= 400 && this.code < 500 && ![401, 404, 409, 429].includes(this.code);
  }
}

/** Client of Telegram's Bot API. */
export class Telegram {
  readonly #api: Api;
  readonly #address: TelegramAddress;
  readonly #ended = new AbortController();
  /** The same for the library, which has its own type of signals. */
  readonly #endedForLibrary = new LibraryAbortController();

  constructor(address: TelegramAddress) {
    this.#address = address;
    this.#api = new Api(address.token, { apiRoot: address.apiUrl, timeoutSeconds: TIMEOUT_SECONDS });
    this.#api.config.use(apiThrottler(RATES));
  }

  /** Aborts all calls in flight. */
  end(): void {
    this.#ended.abort();
    this.#endedForLibrary.abort();
  }

  /** @returns the bot's user name */
  async name(): Promise<string> {
    return (await this.#tried((signal) => this.#api.getMe(signal))).username;
  }

  /** @param offset Acknowledges all updates before it */
  updates(offset: number | undefined, waitSeconds: number): Promise<readonly unknown[]> {
    return this.#tried((signal) =>
      this.#api.getUpdates(
        { timeout: waitSeconds, allowed_updates: UPDATE_KINDS, ...(offset === undefined ? {} : { offset }) },
        signal,
      ),
    );
  }

  async deleteWebhook(): Promise<void> {
    await this.#tried((signal) => this.#api.deleteWebhook({}, signal));
  }

  /** @param language Language of the users who see this menu; without it, the default menu */
  async setMenu(commands: readonly { command: string; description: string }[], language?: "ru"): Promise<void> {
    await this.#tried((signal) =>
      this.#api.setMyCommands(commands, language === undefined ? {} : { language_code: language }, signal),
    );
  }

  /** @returns the message id, if there is one */
  send(chat: number, message: Message): Promise<number | undefined> {
    return this.#tried(async (signal) => {
      switch (message.kind) {
        case "text": {
          const { text, code = [], keyboard } = message;
          const sent = await this.#api.sendMessage(
            chat,
            text,
            {
              link_preview_options: { is_disabled: true },
              entities: codeEntities(text, code),
              ...(keyboard === undefined ? {} : { reply_markup: markup(keyboard) }),
            },
            signal,
          );
          return sent.message_id;
        }
        case "file":
          return (await this.#api.sendDocument(chat, inputFile(message), { caption: message.caption }, signal))
            .message_id;
        case "picture":
          return (await this.#api.sendPhoto(chat, inputFile(message), { caption: message.caption }, signal)).message_id;
        case "animation":
          return (await this.#api.sendAnimation(chat, inputFile(message), { caption: message.caption }, signal))
            .message_id;
        case "button_response":
          await this.#api.answerCallbackQuery(
            message.id,
            message.text === undefined ? {} : { text: message.text },
            signal,
          );
          return undefined;
        case "delete":
          await this.#api.deleteMessage(chat, message.message, signal);
          return undefined;
      }
    });
  }

  /**
   * Downloads a file.
   * @returns `undefined` if it has more bytes than `maximum`
   */
  async file(id: string, maximum: number): Promise<Uint8Array | undefined> {
    const { file_path: path, file_size: size = 0 } = await this.#tried((signal) => this.#api.getFile(id, signal));
    if (path === undefined || size > maximum) return undefined;
    const { apiUrl, token } = this.#address;
    return this.#tried(async () => {
      const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(FILE_TIMEOUT_MILLISECONDS)]);
      const response = await fetch(`${apiUrl}/file/bot${token}/${path}`, { signal, redirect: "error" });
      if (!response.ok) throw new TelegramError(`a file cannot be fetched: ${response.status}`, response.status);
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of response.body ?? []) {
        length += chunk.length;
        if (length > maximum) return undefined;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    });
  }

  async #tried<T>(call: (signal: LibraryAbortSignal) => Promise<T>): Promise<T> {
    try {
      return await call(this.#endedForLibrary.signal);
    } catch (error) {
      throw this.#withoutToken(error);
    }
  }

  #withoutToken(error: unknown): TelegramError {
    if (error instanceof TelegramError) return error;
    const clean = (text: string): string => text.replaceAll(this.#address.token, "***");
    if (error instanceof GrammyError)
      return new TelegramError(
        clean(`${error.method}: ${error.description}`),
        error.error_code,
        error.parameters.retry_after,
      );
    const cause = error instanceof HttpError ? error.error : error;
    return new TelegramError(clean(`no response: ${reasonOf(cause)}`));
  }
}

function inputFile({ content, name }: { content: Uint8Array; name: string }): InputFile {
  return new InputFile(content, name);
}

function codeEntities(text: string, pieces: readonly string[]): MessageEntity[] {
  return pieces.map((piece) => ({ type: "code", offset: text.indexOf(piece), length: piece.length }));
}

function markup(keyboard: Keyboard): InlineKeyboardMarkup | ReplyKeyboardMarkup | ReplyKeyboardRemove {
  switch (keyboard.kind) {
    case "buttons":
      return {
        inline_keyboard: keyboard.rows.map((row) => row.map(({ text, data }) => ({ text, callback_data: data }))),
      };
    case "location":
      return {
        keyboard: [[{ text: keyboard.share, request_location: true }], keyboard.keys.map((text) => ({ text }))],
        resize_keyboard: true,
        one_time_keyboard: true,
      };
    case "none":
      return { remove_keyboard: true };
  }
}
