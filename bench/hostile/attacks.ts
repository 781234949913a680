import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { bzip2 } from "../../server/records/bzip2.ts";
import { encodeCallData } from "../../server/records/call-data.ts";
import { Documents } from "../load/documents.ts";

/** What the hostile client has prepared before it begins. */
export const Arsenal = z.object({
  url: z.string(),
  chainUrl: z.string(),
  /** Its own account. */
  account: z.object({ login: z.string(), password: z.string() }),
  /** Address of the well-behaved client's account. */
  victim: z.string(),
  /** A document with very many proofs. */
  document: z.string(),
  /** A batch of a thousand of them. */
  batch: z.object({ root: z.string(), transaction: z.string() }),
  verificationId: z.string(),
  /** Hash of a transaction whose row expands most. */
  rowTransaction: z.string(),
  /** Signed transactions of one account. */
  transactions: z.array(z.string()),
});

/** What one attack needs, and where it counts what it did. */
interface Hostile extends z.output<typeof Arsenal> {
  /** Tokens of sessions of its account. */
  readonly tokens: readonly string[];
  readonly signal: AbortSignal;
  /** Counts a response by its status, or a connection's end by its reason. */
  readonly count: (outcome: string) => void;
}

/** Goes on at full speed until the signal. */
type Attack = (hostile: Hostile) => Promise<void>;

/** One request. */
interface HostileRequest {
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: OutgoingHttpHeaders;
}

/** The address that the hostile client connects from. */
const SOURCE = "127.0.0.2";

/**
 * Sends requests on some connections, each as soon as the response to its previous one has arrived. A refusal changes
 * nothing.
 */
async function flood(
  { url, signal, count }: Pick<Hostile, "url" | "signal" | "count">,
  connections: number,
  next: () => HostileRequest,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress: SOURCE });
  const client = async (): Promise<void> => {
    while (!signal.aborted) {
      const outcome = await send(agent, url, next());
      count(outcome);
      // A connection that is refused at once must not keep this process from all others.
      if (!/^\d/.test(outcome)) await sleep(1);
    }
  };
  signal.addEventListener("abort", () => agent.destroy(), { once: true });
  await Promise.all(Array.from({ length: connections }, client));
}

function send(agent: Agent, url: string, { path, body, headers = {} }: HostileRequest): Promise<string> {
  return new Promise((resolve) => {
    const usual = body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": body.length };
    const method = body === undefined ? "GET" : "POST";
    const made = request(new URL(path, url), { agent, method, headers: { ...usual, ...headers } });
    made.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    made.on("close", () => resolve("closed"));
    made.on("response", (response) => {
      const end = (): void => resolve(String(response.statusCode));
      response.on("end", end).on("error", end).on("close", end).resume();
    });
    made.end(body);
  });
}

/** Returns a call of the record store. */
function call(route: string, credentials: object, payload?: object): HostileRequest {
  const content = { method: "GET", route, credentials, ...(payload === undefined ? {} : { payload }) };
  return { path: "/api", body: Buffer.from(JSON.stringify(content)) };
}

/** Returns the values in turn, without an end. */
function inTurn<Value>(values: readonly Value[]): () => Value {
  let index = -1;
  return () => {
    const value = values[(index += 1) % values.length];
    if (value === undefined) throw new Error("there are no values");
    return value;
  };
}

const MIB = 1024 * 1024;
/** Time between two pieces of a slow body: a socket that moves at all. */
const DRIP_MILLISECONDS = 1_000;

/** What a connection does until it ends. */
type Behaviour = (socket: Socket, signal: AbortSignal) => Promise<void>;

/** Keeps a number of connections open; opens a new one as soon as the server closes one. */
async function hold(
  { signal, count }: Pick<Hostile, "signal" | "count">,
  url: string,
  connections: number,
  behave: Behaviour,
): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      const socket = connect({ host, port: Number(port), localAddress: SOURCE });
      socket.on("error", () => undefined);
      const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
      const abort = (): void => void socket.destroy();
      signal.addEventListener("abort", abort, { once: true });
      socket.once("connect", () => void behave(socket, signal).catch(() => socket.destroy()));
      await closed;
      signal.removeEventListener("abort", abort);
      count("closed");
      await sleep(1);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

function head(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ Host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

/** Sends all of a large body but its end, then a byte at a time; ends with the first response. */
function drip(path: string, length: number): Behaviour {
  return async (socket, signal) => {
    socket.on("data", () => socket.destroy());
    socket.write(head(path, { "Content-Type": "application/json", "Content-Length": length }));
    const piece = Buffer.alloc(MIB, " ");
    for (let left = length - MIB; left > 0 && !socket.destroyed; left -= piece.length) {
      if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
    while (!socket.destroyed && !signal.aborted) {
      socket.write(" ");
      await sleep(DRIP_MILLISECONDS);
    }
  };
}

/** Large bodies that never end. */
const parkedBodies: Attack = (hostile) => hold(hostile, hostile.url, 60, drip("/api/v1/recovery/verify", 16 * MIB));

/** The same at the chain's own port. */
const parkedChainBodies: Attack = (hostile) => hold(hostile, hostile.chainUrl, 60, drip("/", 8 * MIB));

/** Thousands of connections: some say nothing, some send a header every second. */
const manyConnections: Attack = (hostile) => {
  let opened = 0;
  return hold(hostile, hostile.url, 4_000, async (socket, signal) => {
    if ((opened += 1) % 2 === 0) return;
    socket.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n");
    while (!socket.destroyed && !signal.aborted) {
      await sleep(DRIP_MILLISECONDS);
      socket.write("X-More: more\r\n");
    }
  });
};

/** Requests for large responses that are never read. */
const unreadResponses: Attack = (hostile) => {
  const paths = [
    "/docs/swagger-ui-bundle.js",
    "/api/v1/recovery/inventory",
    "/api/v1/proof/batch/" + hostile.batch.root,
  ];
  let opened = 0;
  return hold(hostile, hostile.url, 500, async (socket) => {
    socket.pause();
    const path = paths[(opened += 1) % paths.length] ?? "";
    socket.write(
      `GET ${path}${path.includes("batch") ? "?limit=1000" : ""} HTTP/1.1\r\nHost: localhost\r\n` +
        "Accept: application/x-ndjson, */*\r\n\r\n",
    );
  });
};

/** Thousands of requests on a connection, without waiting for responses. */
const pipelinedRequests: Attack = (hostile) => {
  const requests = Buffer.from(
    `GET /api/v1/proof/${hostile.document} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(1_000),
  );
  return hold(hostile, hostile.url, 64, async (socket, signal) => {
    socket.on("data", () => hostile.count("data"));
    while (!socket.destroyed && !signal.aborted) {
      if (!socket.write(requests)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
  });
};

/** Rows to compare, without an end. */
const endlessRows: Attack = (hostile) => {
  const row = (): string =>
    `{"document_id":"${Math.random()}","hash":"${Math.random().toString(16).slice(2, 10).padEnd(64, "0")}"}\n`;
  return hold(hostile, hostile.url, 8, async (socket, signal) => {
    socket.on("data", () => hostile.count("data"));
    socket.write(
      head("/api/v1/recovery/verify", { "Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked" }),
    );
    while (!socket.destroyed && !signal.aborted) {
      const rows = Array.from({ length: 1_000 }, row).join("");
      const isRoom = socket.write(`${rows.length.toString(16)}\r\n${rows}\r\n`);
      if (!isRoom) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
  });
};

/** Requests of a batch. */
const BATCH = 100;

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

function batchOf(calls: readonly Call[]): HostileRequest {
  const batch = calls.map((one, id) => ({ jsonrpc: "2.0", id, ...one }));
  return { path: "/", body: JSON.stringify(batch) };
}

function chunks<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

function sendAll(transactions: readonly string[]): HostileRequest[] {
  return chunks(transactions, BATCH).map((some) =>
    batchOf(some.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] }))),
  );
}

function toChain(connections: number, requests: (hostile: Hostile) => readonly HostileRequest[]): Attack {
  return (hostile) => flood({ ...hostile, url: hostile.chainUrl }, connections, inTurn(requests(hostile)));
}

/** Runs until its gas is used: a label, and a jump to it. */
const endless = { data: "0x5b600056", gas: "0x1c9c380" };

/** What a user of the server's machine can do at the port of the embedded chain. */
const CHAIN_ATTACKS: readonly (readonly [string, Attack])[] = [
  // They are refused.
  ["chain port: transactions", toChain(16, ({ transactions }) => sendAll(transactions))],
  [
    "chain port: endless calls",
    toChain(64, () => [batchOf(Array.from({ length: BATCH }, () => ({ method: "eth_call", params: [endless] })))]),
  ],
  ["chain port: traces", toChain(8, () => [batchOf([{ method: "debug_traceCall", params: [endless, "latest"] }])])],
  [
    "chain port: logs and pool",
    toChain(64, () => [
      batchOf(
        Array.from({ length: BATCH }, (_, index) =>
          index % 2 === 0
            ? { method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: "latest" }] }
            : { method: "txpool_content", params: [] },
        ),
      ),
    ]),
  ],
];

const STORE = "/api/datastore/event/store";
const SEARCH = "/api/datastore/event/search";
const DECODE = "/api/datastore/transaction/decode";
/** Almost the largest call; the rest of it takes less than a kilobyte. */
const MAX_PAYLOAD_BYTES = 63 * 1024;
/** A page of the explorer's lists. */
const EXPLORED = 100;

/** Repeats the same requests, in turn. */
function repeat(connections: number, requests: (hostile: Parameters<Attack>[0]) => readonly HostileRequest[]): Attack {
  return (hostile) => flood(hostile, connections, inTurn(requests(hostile)));
}

function get(connections: number, paths: (hostile: Parameters<Attack>[0]) => readonly string[]): Attack {
  return repeat(connections, (hostile) => paths(hostile).map((path) => ({ path })));
}

function logIn(login: string): HostileRequest {
  return call("/api/admin/auth", { login, password: "wrong" });
}

/** Patterns that match no topic, or all of them, in the most expensive way. */
const searches: Attack = repeat(64, ({ tokens }) =>
  [
    { value: `*${"a".repeat(254)}b*` },
    { value: `*${"a*".repeat(250)}b*` },
    { value: `${"a".repeat(200)}*b` },
    { value: "*", limit: 10_000, locations: true },
    { value: `*${"a".repeat(200)}*`, limit: 10_000 },
  ].flatMap((search) => tokens.map((token) => call(SEARCH, { token }, { search: { target: "2", ...search } }))),
);

/** Encodes call data of a row with this payload. */
export function rowCallData(payload: string): string {
  const row = ["1", "0x", "c", "", Buffer.from(payload).toString("base64"), "t", "1"].join("|");
  const rowdata = bzip2.compress(Buffer.from(row));
  return encodeCallData("set", { tabname: "events", rowid: 1n, rowdata, comp: true, signature: "0x" });
}

/** A payload that expands to megabytes, one that expands to as much as a row may have, and deeply nested ones. */
export const EXPANDING_PAYLOADS = [
  `{"a":"${"a".repeat(5_000_000)}"}`,
  `{"a":"${"\\u0001".repeat(15_000)}"}`,
  `{"a":[${"0,".repeat(45_000)}0]}`,
  `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  `{"a":${"[".repeat(120)}${"]".repeat(120)}}`,
];

const decodes: Attack = repeat(64, ({ tokens }) =>
  EXPANDING_PAYLOADS.map(rowCallData).flatMap((inputdata) =>
    tokens.map((token) => call(DECODE, { token }, { function: "set", inputdata })),
  ),
);

/** Payloads that do not compress. */
const stores: Attack = repeat(64, ({ tokens }) =>
  Array.from({ length: 32 }, (_, index) => {
    const payload = { noise: randomBytes((MAX_PAYLOAD_BYTES * 3) / 4).toString("base64") };
    return call(STORE, { token: inTurn(tokens)() }, { code: `h${index}`, topic: "a".repeat(256), payload });
  }),
);

/** Each session replaces its token again and again; other connections use tokens that nobody has. */
const sessions: Attack = async (hostile) => {
  const { tokens, url, signal, count } = hostile;
  const renew = async (first: string): Promise<void> => {
    for (let token = first, step = "validate"; !signal.aborted;) {
      const { path, body } = call(`/api/admin/session/${step}`, { token });
      const response = await fetch(new URL(path, url), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: String(body),
        signal,
      });
      count(String(response.status));
      const next = /"tx":"(0x[0-9a-f]{64})"/.exec(await response.text())?.[1];
      token = next ?? token;
      step = step === "validate" ? "extend" : "validate";
    }
  };
  const invented = flood(hostile, 56, () =>
    call("/api/admin/session/validate", { token: `0x${randomBytes(32).toString("hex")}` }),
  );
  await Promise.all([invented, ...tokens.map((token) => renew(token).catch(() => undefined))]);
};

/** A JSON body, as it is or compressed to a few kilobytes. */
function largeBody(text: string, path = "/api/v1/recovery/verify"): HostileRequest {
  return { path, body: Buffer.from(text) };
}

function compressedBody(text: string, path = "/api/v1/recovery/verify"): HostileRequest {
  return { path, body: gzipSync(text), headers: { "Content-Encoding": "gzip" } };
}

/** Repeats a text to somewhat less than a number of bytes. */
function filled(text: string, bytes: number): string {
  return text.repeat(Math.floor((bytes - 1_000) / text.length));
}

/** The body of a comparison. */
function restored(count: number): string {
  const row = (index: number): string => `{"document_id":"${index}","hash":"${"0".repeat(64)}"}`;
  return `{"documents":[${Array.from({ length: count }, (_, index) => row(index)).join(",")}]}`;
}

const singles: Attack = (hostile) => {
  const documents = new Documents();
  return flood(hostile, 512, () => ({ path: "/api/v1/proof", body: documents.single() }));
};

const bulks: Attack = (hostile) => {
  const documents = new Documents();
  return flood(hostile, 64, () => ({ path: "/api/v1/proof/batch", body: documents.bulk(1_000) }));
};

/** Bulks with the largest bodies: descriptive data of any kind. */
const largeBulks: Attack = (hostile) => {
  const documents = new Documents();
  const metadata = { more: Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`k${index}`, index])) };
  return flood(hostile, 16, () => {
    const many = Array.from({ length: 1_000 }, () => ({ ...documents.next(), metadata }));
    return { path: "/api/v1/proof/batch", body: JSON.stringify({ documents: many }) };
  });
};

const attest = (accept: string): Attack =>
  repeat(32, ({ document, verificationId }) =>
    [{ document_id: document }, { verification_id: verificationId }].map((subject) => ({
      path: "/api/v1/recovery/attest",
      body: JSON.stringify({ ...subject, audience: "court" }),
      headers: { Accept: accept },
    })),
  );

/** Every route that a hostile client uses, by its name in the report. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map<string, Attack>([
  [
    "logins with invented addresses",
    (hostile) => flood(hostile, 80, () => logIn(`0x${randomBytes(20).toString("hex")}`)),
  ],
  ["logins with another account's address", repeat(80, ({ victim }) => [logIn(victim)])],
  ["sessions renewed and invented", sessions],
  ["searches", searches],
  ["decoding", decodes],
  ["stores", stores],
  [
    "explorer",
    get(64, ({ rowTransaction, batch }) => [
      `/explorer/api/transactions/${rowTransaction}`,
      `/explorer/api/blocks?limit=${EXPLORED}`,
      `/explorer/api/anchors?limit=${EXPLORED}`,
      `/explorer/api/transactions/${batch.transaction}`,
      `/explorer/api/search?q=${rowTransaction}`,
    ]),
  ],
  ["proofs of one document", get(64, ({ document }) => [`/api/v1/proof/${document}?limit=100`])],
  [
    "unknown proofs and hashes",
    (hostile) =>
      flood(hostile, 128, () => {
        const hash = randomBytes(32).toString("hex");
        return { path: Math.random() < 0.5 ? `/api/v1/proof/${hash}` : `/api/v1/verify?hash=${hash}` };
      }),
  ],
  [
    "proofs of one batch",
    get(64, ({ batch }) => [
      `/api/v1/proof/batch/${batch.root}?limit=100`,
      `/api/v1/proof/tx/${batch.transaction}?limit=100`,
    ]),
  ],
  ["bundles", get(64, ({ document }) => [`/api/v1/proof/${document}?format=bundle`])],
  ["statements as JSON", attest("application/json")],
  ["statements as PDF", attest("application/pdf")],
  ["inventory", get(32, () => ["/api/v1/recovery/inventory?limit=100", "/api/v1/recovery/inventory"])],
  [
    "gap",
    get(32, ({ verificationId }) => [
      `/api/v1/recovery/gap?verification_id=${verificationId}`,
      "/api/v1/recovery/gap?against=journal",
    ]),
  ],
  ["endless comparison", endlessRows],
  ["comparisons of 10 000 documents", repeat(8, () => [largeBody(restored(10_000))])],
  ["single proofs", singles],
  ["bulk proofs", bulks],
  ["bulk proofs of 2 MB", largeBulks],
  ["invalid JSON of 1 MB", repeat(8, () => [largeBody(`{"documents":["${filled("a", MIB)}`)])],
  ["JSON of 16 MB", repeat(8, () => [largeBody(`{"documents":["${filled("a", 16 * MIB)}`)])],
  ["compressed JSON of 8 million numbers", repeat(16, () => [compressedBody(`[${filled("0,", 16 * MIB)}0]`)])],
  [
    "compressed bulk of 700 000 nothings",
    repeat(16, () => [compressedBody(`{"documents":[${filled("{},", 2 * MIB)}{}]}`, "/api/v1/proof/batch")]),
  ],
  [
    "compressed bulk of 39 000 nothings",
    repeat(16, () => [compressedBody(`{"documents":[${"{},".repeat(39_000)}{}]}`)]),
  ],
  ["parked bodies", parkedBodies],
  ["4000 connections", manyConnections],
  ["responses that are not read", unreadResponses],
  ["pipelined requests", pipelinedRequests],
  [
    "pages and documents",
    get(128, () => ["/", "/explorer", "/openapi.json", "/docs/", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"]),
  ],
  [
    "status and metrics",
    get(128, () => [
      "/api/v1/status",
      "/api/v1/alerts?limit=1000",
      "/metrics",
      "/readyz",
      "/livez",
      "/.well-known/jwks.json",
    ]),
  ],
  ["paths that do not exist", (hostile) => flood(hostile, 512, () => ({ path: `/${Math.random()}` }))],
  ...CHAIN_ATTACKS,
  ["chain port: parked bodies", parkedChainBodies],
]);
