import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Chat, type ChatServer, type ChatMessage } from "./telegram-chat.ts";

export type { Chat } from "./telegram-chat.ts";

/** The reason of a refused call. */
export interface Fault {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after: number };
}

interface Call {
  readonly method: string;
  readonly fields: Record<string, unknown>;
  readonly files: ReadonlyMap<string, { name: string; content: Buffer }>;
}

class Refused extends Error {
  readonly fault: Fault;

  constructor(error_code: number, description: string) {
    super(description);
    this.fault = { error_code, description };
  }
}

/** Implements the documented Bot API, as far as a bot can observe. */
export class TelegramServer implements ChatServer {
  readonly token = `${1e9 + randomBytes(3).readUIntBE(0, 3)}:${randomBytes(26).toString("base64url")}`;
  readonly name = "sealbook_test_bot";
  readonly calls: Call[] = [];
  readonly menus = new Map<string, { command: string; description: string }[]>();
  /** Unacknowledged updates. */
  #updates: { readonly update_id: number }[] = [];
  /** Determines the handling of a call: a fault, or `hang` for a call that is neither processed nor responded to. */
  onCall: (call: Call) => Fault | "hang" | undefined = () => undefined;
  /** Whether a webhook is set, so that Telegram refuses to be polled. */
  hasWebhook = false;
  readonly #chats = new Map<number, Chat>();
  readonly #files = new Map<string, Buffer>();
  readonly #queries = new Map<string, Chat>();
  #server: Server | undefined;
  #nextUpdate = 100 + randomBytes(2).readUInt16BE();
  #nextMessage = 1;
  #wake = Promise.withResolvers<void>();

  async start(): Promise<this> {
    this.#server = createServer((request, response) => void this.#handle(request, response));
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server?.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  person(id: number, language = "en"): Chat {
    return this.#keep(new Chat(this, id, language));
  }

  group(id: number, sender: number, language = "en"): Chat {
    return this.#keep(new Chat(this, id, language, sender));
  }

  /** Returns the number of unacknowledged updates. */
  get waiting(): number {
    return this.#updates.length;
  }

  /** Delivers an update to the bot; with an earlier id again, as Telegram does without an acknowledgement. */
  deliver(content: object, update_id = this.#nextUpdate++): number {
    const update = { update_id, ...content };
    this.#updates.push(update);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
    return update_id;
  }

  nextMessage(): number {
    return this.#nextMessage++;
  }

  newQuery(chat: Chat): string {
    const id = randomBytes(8).toString("hex");
    this.#queries.set(id, chat);
    return id;
  }

  keepFile(content: Buffer): string {
    const id = randomBytes(8).toString("hex");
    this.#files.set(id, content);
    return id;
  }

  #keep(chat: Chat): Chat {
    this.#chats.set(chat.id, chat);
    return chat;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, place, token, rest = ""] = /^\/(bot|file\/bot)([^/]+)\/(.*)$/.exec(request.url ?? "") ?? [];
    const reply = (status: number, body: object): void =>
      void response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    try {
      if (token !== this.token) throw new Refused(401, "Unauthorized");
      if (place === "file/bot") {
        const file = this.#files.get(rest.replace("documents/", "")) ?? new Refused(404, "Not Found");
        if (file instanceof Refused) throw file;
        return void response.writeHead(200).end(file);
      }
      const call = await readCall(rest, request);
      if (rest !== "getUpdates") this.calls.push(call);
      const fate = this.onCall(call);
      if (fate === "hang") return;
      if (fate !== undefined) return reply(fate.error_code, { ok: false, ...fate });
      reply(200, { ok: true, result: await this.#do(call, request) });
    } catch (error) {
      const fault = error instanceof Refused ? error.fault : { error_code: 500, description: String(error) };
      reply(fault.error_code, { ok: false, ...fault });
    }
  }

  async #do(call: Call, request: IncomingMessage): Promise<unknown> {
    const { method, fields } = call;
    switch (method) {
      case "getMe":
        return { id: 1, is_bot: true, first_name: "Sealbook", username: this.name };
      case "getUpdates":
        return this.#getUpdates(fields, request);
      case "setMyCommands":
        return this.#setMenu(fields);
      case "deleteWebhook":
        this.hasWebhook = false;
        return true;
      case "getFile": {
        const id = String(fields["file_id"]);
        const file = this.#files.get(id);
        if (file === undefined) throw new Refused(400, "Bad Request: invalid file_id");
        return { file_id: id, file_unique_id: id, file_size: file.length, file_path: `documents/${id}` };
      }
      case "answerCallbackQuery": {
        const id = String(fields["callback_query_id"]);
        const chat = this.#queries.get(id);
        if (chat === undefined)
          throw new Refused(400, "Bad Request: query is too old and response timeout expired or query ID is invalid");
        this.#queries.delete(id);
        chat.buttonResponses.push({ id, text: fields["text"] === undefined ? undefined : String(fields["text"]) });
        return true;
      }
      case "deleteMessage": {
        const message = this.#chatOf(fields).messages.find(
          ({ id, isDeleted }) => id === Number(fields["message_id"]) && !isDeleted,
        );
        if (message === undefined) throw new Refused(400, "Bad Request: message to delete not found");
        message.isDeleted = true;
        return true;
      }
      case "sendMessage":
        return this.#send(call, "text");
      case "sendDocument":
        return this.#send(call, "document");
      case "sendPhoto":
        return this.#send(call, "photo");
      case "sendAnimation":
        return this.#send(call, "animation");
      default:
        throw new Refused(404, "Not Found");
    }
  }

  async #getUpdates({ offset = 0, timeout = 0 }: Record<string, unknown>, request: IncomingMessage): Promise<unknown> {
    if (this.hasWebhook) throw new Refused(409, "Conflict: can't use getUpdates method while webhook is active");
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= Number(offset));
    if (this.#updates.length === 0) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, 1000 * Number(timeout));
      const closed = () => late.resolve();
      request.socket.once("close", closed);
      await Promise.race([this.#wake.promise, late.promise]);
      clearTimeout(timer);
      request.socket.off("close", closed);
      if (request.socket.destroyed) return [];
    }
    return this.#updates.slice(0, 100);
  }

  #setMenu({ commands, language_code = "" }: Record<string, unknown>): true {
    const menu = commands as { command: string; description: string }[];
    for (const { command, description } of menu) {
      if (!/^[a-z0-9_]{1,32}$/.test(command) || description.length < 1 || description.length > 256)
        throw new Refused(400, "Bad Request: BOT_COMMAND_INVALID");
    }
    this.menus.set(String(language_code), menu);
    return true;
  }

  #chatOf(fields: Record<string, unknown>): Chat {
    const chat = this.#chats.get(Number(fields["chat_id"]));
    if (chat === undefined) throw new Refused(400, "Bad Request: chat not found");
    if (chat.hasBlocked) throw new Refused(403, "Forbidden: bot was blocked by the user");
    return chat;
  }

  #send({ fields, files }: Call, kind: ChatMessage["kind"]): object {
    const chat = this.#chatOf(fields);
    const text = String(fields[kind === "text" ? "text" : "caption"] ?? "");
    if (kind === "text" && text === "") throw new Refused(400, "Bad Request: message text is empty");
    if (text.length > (kind === "text" ? 4096 : 1024)) throw new Refused(400, "Bad Request: message is too long");
    const markup = (fields["reply_markup"] ?? {}) as {
      inline_keyboard?: { text: string; callback_data: string }[][];
      keyboard?: { text: string }[][];
      remove_keyboard?: true;
    };
    const buttons = (markup.inline_keyboard ?? []).flat();
    if (buttons.some(({ callback_data }) => Buffer.byteLength(callback_data) > 64))
      throw new Refused(400, "Bad Request: BUTTON_DATA_INVALID");
    const attached = kind === "text" ? undefined : files.get(String(fields[kind]).replace("attach://", ""));
    if (kind !== "text" && attached === undefined)
      throw new Refused(400, "Bad Request: there is no file in the request");
    const id = this.nextMessage();
    chat.messages.push({
      id,
      kind,
      text,
      file: attached,
      buttons: new Map(buttons.map((button) => [button.text, button.callback_data])),
      keys: markup.remove_keyboard === true ? [] : markup.keyboard?.flat().map((key) => key.text),
      entities: (fields["entities"] ?? []) as ChatMessage["entities"],
      isDeleted: false,
    });
    return { message_id: id, date: 1, chat: { id: chat.id, type: chat.type } };
  }
}

async function readCall(method: string, request: IncomingMessage): Promise<Call> {
  const body = await buffer(request);
  const type = request.headers["content-type"] ?? "";
  const files = new Map<string, { name: string; content: Buffer }>();
  if (!type.startsWith("multipart/"))
    return { method, fields: body.length === 0 ? {} : JSON.parse(body.toString()), files };
  const fields: Record<string, unknown> = {};
  for (const [key, value] of await new Response(new Uint8Array(body), {
    headers: { "Content-Type": type },
  }).formData()) {
    if (typeof value === "string")
      fields[key] = value.startsWith("{") || value.startsWith("[") ? JSON.parse(value) : value;
    else files.set(key, { name: value.name, content: Buffer.from(await value.arrayBuffer()) });
  }
  return { method, fields, files };
}
