import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request that was received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** One response; `undefined` closes the connection. */
export type Reply =
  { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown } | undefined;

/** A server with prepared responses, for failures of the real one. */
export interface FakeServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
}

/** @param replies Given one after the other; the last one again and again */
export async function fakeServer(...replies: Reply[]): Promise<FakeServer> {
  const received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = replies[Math.min(received.length, replies.length - 1)];
    const { method = "", url = "", headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    if (reply === undefined) return void request.socket.destroy();
    const body = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? null);
    response.writeHead(reply.status, reply.headers).end(body);
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("it was not rejected");
    },
    (error: unknown) => error,
  );
}
