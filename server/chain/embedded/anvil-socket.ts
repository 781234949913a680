import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { closed, requestText, responseOf, unavailable } from "../rpc/rpc.ts";

const NEWLINE = 0x0a;

/**
 * JSON-RPC over Anvil's local socket, a line for each message. A large block is slow and a state dump has any size:
 * neither the time nor the length of a response is limited.
 */
export class AnvilSocket {
  /** Resolves when the connection is lost. */
  readonly lost: Promise<void>;
  readonly #socket: Socket;
  /** The calls in flight, by id. */
  readonly #inFlight = new Map<unknown, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  /** Pieces of the incomplete line. */
  #pieces: Buffer[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    let reason: Error | undefined;
    socket.on("data", (chunk: Buffer) => this.#read(chunk)).on("error", (error) => (reason = error));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lost = promise;
    socket.once("close", () => {
      for (const { reject } of this.#inFlight.values()) reject(unavailable(reason ?? closed()));
      this.#inFlight.clear();
      resolve();
    });
  }

  /** @throws the error of the system when nothing listens at the path */
  static async open(path: string): Promise<AnvilSocket> {
    const socket = connect(path);
    await once(socket, "connect");
    return new AnvilSocket(socket);
  }

  /**
   * @throws SealbookError `chain_unavailable` when the connection is lost; NodeError of Anvil
   */
  call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    if (this.#socket.destroyed) return Promise.reject(unavailable(closed()));
    const call = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#inFlight.set(this.#lastId, call);
    // Requests of one turn of the event loop go out in one write.
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      setImmediate(() => this.#socket.uncork());
    }
    this.#socket.write(`${requestText(this.#lastId, method, parameters)}\n`);
    return call.promise;
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#pieces.push(chunk.subarray(start, end));
      const line = Buffer.concat(this.#pieces).toString("utf8");
      this.#pieces = [];
      start = end + 1;
      this.#receive(line);
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
  }

  #receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (cause) {
      this.#socket.destroy(new Error("Anvil's message is not JSON", { cause }));
      return;
    }
    const response = responseOf(message);
    const call = this.#inFlight.get(response.id);
    this.#inFlight.delete(response.id);
    if ("error" in response) call?.reject(response.error);
    else call?.resolve(response.result);
  }
}
