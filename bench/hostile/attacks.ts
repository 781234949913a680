import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { bzip2 } from "../../server/records/bzip2.ts";
import { encodeCallData } from "../../server/records/call-data/call-data.ts";
import { Documents } from "../load/documents.ts";
import { CHAIN_ATTACKS } from "./chain-attacks.ts";
import {
  endlessRows,
  manyConnections,
  parkedBodies,
  parkedChainBodies,
  pipelinedRequests,
  unreadResponses,
} from "./connections.ts";
import { type Attack, call, flood, type HostileRequest, inTurn } from "./hostile.ts";

const MIB = 1024 * 1024;
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

/** A JSON body of 16 MiB, as it is or compressed to a few kilobytes. */
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
  const metadata = { more: Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`k${index}`, index])) };
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
      `/api/v1/proof/batch/${batch.root}?limit=1000`,
      `/api/v1/proof/tx/${batch.transaction}?limit=1000`,
    ]),
  ],
  ["bundles", get(64, ({ document }) => [`/api/v1/proof/${document}?format=bundle`])],
  ["statements as JSON", attest("application/json")],
  ["statements as PDF", attest("application/pdf")],
  ["inventory", get(32, () => ["/api/v1/recovery/inventory?limit=10000", "/api/v1/recovery/inventory"])],
  [
    "gap",
    get(32, ({ verificationId }) => [
      `/api/v1/recovery/gap?verification_id=${verificationId}&limit=10000`,
      "/api/v1/recovery/gap?against=journal&limit=10000",
    ]),
  ],
  ["endless comparison", endlessRows],
  ["comparisons of 100 000 documents", repeat(8, () => [largeBody(restored(100_000))])],
  ["single proofs", singles],
  ["bulk proofs", bulks],
  ["bulk proofs of 8 MB", largeBulks],
  ["invalid JSON of 16 MB", repeat(8, () => [largeBody(`{"documents":["${filled("a", 16 * MIB)}`)])],
  ["compressed JSON of 8 million numbers", repeat(16, () => [compressedBody(`[${filled("0,", 16 * MIB)}0]`)])],
  [
    "compressed comparison of 5 million nothings",
    repeat(16, () => [compressedBody(`{"documents":[${filled("{},", 16 * MIB)}{}]}`)]),
  ],
  [
    "compressed bulk of 2 million nothings",
    repeat(16, () => [compressedBody(`{"documents":[${filled("{},", 8 * MIB)}{}]}`, "/api/v1/proof/batch")]),
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
