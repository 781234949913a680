import { connect, type Socket } from "node:net";
import { z } from "zod";
import { EmbeddedChainError, reasonOf } from "./errors.ts";

const RpcErrorObject = z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() });
const RpcAnswer = z.object({ id: z.int(), result: z.unknown().optional(), error: RpcErrorObject.optional() });

/** An error that Anvil answered; it goes to the caller as it is. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** JSON-RPC over Anvil's local socket: one request a line, answers in any order. */
export class IpcClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #partial: string[] = [];
  #closed = false;
  /** Resolves when the connection is gone, for whatever reason. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => this.#receive(text));
    socket.on("error", () => undefined); // "close" follows
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#fail("The connection to Anvil is gone.");
        resolve();
      });
    });
  }

  static connect(path: string): Promise<IpcClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new IpcClient(socket));
      });
    });
  }

  /** Sends a request. Requests of one client reach Anvil in the order of the calls. */
  call(method: string, params: readonly unknown[] | object = []): Promise<unknown> {
    if (this.#closed) return Promise.reject(new EmbeddedChainError("anvil-failed", "The connection to Anvil is gone."));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#partial.push(text.slice(start, end));
      const line = this.#partial.join("");
      this.#partial = [];
      start = end + 1;
      if (line !== "") this.#answer(line);
    }
    if (start < text.length) this.#partial.push(text.slice(start));
  }

  #answer(line: string): void {
    let answer: z.infer<typeof RpcAnswer>;
    try {
      answer = RpcAnswer.parse(JSON.parse(line));
    } catch (error) {
      this.#fail(`Anvil answered something that is not JSON-RPC: ${reasonOf(error)}`);
      this.#socket.destroy();
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.error === undefined) waiting?.resolve(answer.result);
    else waiting?.reject(new RpcError(answer.error.code, answer.error.message, answer.error.data));
  }

  #fail(message: string): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(new EmbeddedChainError("anvil-failed", message));
    this.#waiting.clear();
  }
}
