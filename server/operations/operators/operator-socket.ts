import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { SealbookError } from "../../errors.ts";
import { toSealbookError } from "../../http/errors.ts";
import { problemOf } from "../../http/problem.ts";
import { OperatorWrite } from "./operator-write.ts";

/** Maximum bytes of a write: 500 divergences have less. */
export const MOST_BYTES = 1024 * 1024;
/** A command makes one call at a time. */
const MOST_CONNECTIONS = 16;
/** Time for the writes that are under way at the end. */
const MOST_CLOSING_MILLISECONDS = 5_000;
/** Nobody but its owner connects. */
const NOT_OTHERS = 0o177;

/** Returns where the server of a data folder listens for commands. */
export function operatorSocket(dataDirectory: string): string {
  return join(dataDirectory, "server.sock");
}

interface OperatorSocketDeps {
  /** Returns whether there was something to change. */
  readonly write: (given: OperatorWrite) => Promise<boolean>;
  /** Called with the error of a write that has no text for operators. */
  readonly onFailure: (error: unknown) => void;
}

/** Listens for the writes of commands on this machine, of whoever may use the data folder. */
export async function listenForOperators(path: string, deps: OperatorSocketDeps): Promise<AsyncDisposable> {
  const server = createServer((request, response) => void respond(request, response, deps));
  server.maxConnections = MOST_CONNECTIONS;
  // The folder is locked: the server that left it is gone.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.on("error", (error) => {
      deps.onFailure(error);
      reject(error);
    });
    const mask = process.umask(NOT_OTHERS);
    try {
      server.listen(path);
    } finally {
      process.umask(mask);
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      // What is under way gets its response.
      const timer = setTimeout(() => server.closeAllConnections(), MOST_CLOSING_MILLISECONDS);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(timer);
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { write, onFailure }: OperatorSocketDeps,
): Promise<void> {
  let status = 200;
  let body: object;
  try {
    const given = OperatorWrite.safeParse(JSON.parse(await textOf(request)));
    if (given.data === undefined) throw new SealbookError("malformed", "the server has another version");
    body = { done: await write(given.data) };
  } catch (thrown) {
    const error = toSealbookError(thrown);
    if (error.code === "internal") onFailure(thrown);
    ({ status, body } = problemOf(error));
  }
  response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    // The rest is read, so that the command gets the response.
    if (length <= MOST_BYTES) chunks.push(chunk);
  }
  if (length > MOST_BYTES) throw new SealbookError("too_large", `the write has more than ${MOST_BYTES} bytes`);
  return Buffer.concat(chunks).toString();
}
