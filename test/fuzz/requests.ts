import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { DocumentedOperation, OpenApi } from "../support/openapi.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { jsonText, oddText, oddValue, valueOf } from "./values.ts";

/** A request as it goes over the wire. */
export interface RawRequest {
  readonly method: string;
  /** As it stands in the first line. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "PURGE"];
const TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "application/json; charset=utf-16",
  "application/json; charset=latin1",
  "application/json; charset=nonsense",
  "APPLICATION/JSON",
  "application/x-ndjson",
  "application/jsonl",
  "application/ndjson; charset=x",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/vnd.api+json",
  "*/*",
  "",
  ";",
  "application",
  "/",
];
const HEADERS: readonly (readonly [string, string])[] = [
  ["Accept", "application/x-ndjson"],
  ["Accept", "text/html"],
  ["Accept", "application/pdf"],
  ["Accept", "application/jose"],
  ["Accept", "*/*;q=0"],
  ["Accept", ",,,;q=x"],
  ["Accept-Encoding", "gzip, br, identity;q=0"],
  ["Content-Encoding", "gzip"],
  ["Content-Encoding", "br"],
  ["Content-Encoding", "deflate"],
  ["Content-Encoding", "x"],
  ["Cookie", "svcauth=0x12"],
  ["Cookie", "svcauth"],
  ["Cookie", "=;=;;svcauth=%ff; a=b"],
  ["X-Forwarded-For", "8.8.8.8"],
  ["X-Forwarded-For", "nonsense, ::1"],
  ["X-Forwarded-Proto", "https,x"],
  ["X-Request-Id", "a b"],
  ["X-Request-Id", "\u00ff"],
  ["X-API-Key", "x"],
  ["Authorization", "Bearer x.y.z"],
  ["Authorization", "Basic Og=="],
  ["If-None-Match", "*"],
  ["Range", "bytes=0-1,5-"],
  ["Expect", "100-continue"],
  ["Expect", "x"],
  ["Upgrade", "websocket"],
  ["Content-Length", "0"],
  ["Content-Length", "1"],
  ["Host", ""],
  ["Host", "a b/\\"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["Origin", "null"],
  ["TE", "trailers"],
  ["Transfer-Encoding", "identity"],
];

/** What goes into a path or a query as it is: a raw socket sends anything but what ends a line. */
const rawText = fc.oneof(
  fc.constantFrom(
    "%",
    "%zz",
    "%00",
    "%ff%fe",
    "..",
    "../..",
    "%2e%2e%2f%2e%2e",
    "//",
    "/",
    "\\",
    "?",
    "#",
    "&",
    "=",
    "[]",
    "[0]=1",
    "a[b][c]=1",
    ";",
    "+",
    "*",
    "~",
    "\u00e9",
    "x".repeat(2_000),
  ),
  oddText.map(encodeWhole),
);

/** Percent-encodes also what has no UTF-8. */
function encodeWhole(text: string): string {
  return encodeURIComponent(text.toWellFormed()).slice(0, 3_000);
}

/** Existing items of a server, for requests that find them. */
export interface Known {
  readonly token: string;
  readonly ids: readonly string[];
}

/** Requests of an operation, most of them nearly as it is described. */
export function requestsOf(
  openApi: OpenApi,
  operation: DocumentedOperation,
  { token, ids }: Known,
): fc.Arbitrary<RawRequest> {
  return fc
    .tuple(
      fc.oneof(
        { arbitrary: fc.constant(operation.method), weight: 12 },
        { arbitrary: fc.constantFrom(...METHODS), weight: 1 },
      ),
      targetOf(openApi, operation, ids),
      bodyOf(openApi, operation, token),
      fc.oneof(
        { arbitrary: fc.constant([]), weight: 2 },
        { arbitrary: fc.array(fc.constantFrom(...HEADERS), { maxLength: 3 }), weight: 1 },
      ),
    )
    .map(([method, target, { type, body }, headers]) => ({
      method,
      target,
      headers: [...(type === undefined ? [] : [["Content-Type", type] as const]), ...headers],
      body: headers.some(([name, value]) => name === "Content-Encoding" && value === "gzip") ? gzipSync(body) : body,
    }));
}

function targetOf(
  openApi: OpenApi,
  { path, described }: DocumentedOperation,
  ids: readonly string[],
): fc.Arbitrary<string> {
  const parameters: readonly { readonly in: string; readonly name: string; readonly schema: unknown }[] =
    described.parameters ?? [];
  const valueFor = (schema: unknown) =>
    fc.oneof(
      {
        arbitrary: valueOf(openApi.closed(schema)).map((value) =>
          encodeWhole(typeof value === "string" ? value : (JSON.stringify(value) ?? "")),
        ),
        weight: 6,
      },
      { arbitrary: rawText, weight: 1 },
    );
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const pathname = fc
    .tuple(
      ...inPath.map(({ schema }) =>
        fc.oneof({ arbitrary: valueFor(schema), weight: 3 }, { arbitrary: fc.constantFrom(...ids), weight: 1 }),
      ),
    )
    .map((values) =>
      inPath.reduce((result, { name }, index) => result.replace(`{${name}}`, () => values[index] ?? ""), path),
    );
  const queryString = fc
    .tuple(
      ...parameters
        .filter((parameter) => parameter.in === "query")
        .map(({ name, schema }) =>
          fc.option(
            fc.tuple(
              fc.oneof(
                { arbitrary: fc.constant(name), weight: 9 },
                // Other names are rejected.
                { arbitrary: fc.constantFrom(`${name}[]`, `${name}[a]`, name.toUpperCase()), weight: 1 },
              ),
              fc.array(
                fc.oneof({ arbitrary: valueFor(schema), weight: 6 }, { arbitrary: fc.constantFrom(...ids), weight: 1 }),
                { minLength: 1, maxLength: 2, size: "xsmall" },
              ),
            ),
            { freq: 2 },
          ),
        ),
    )
    .map((pairs) =>
      pairs.flatMap((pair) => (pair === null ? [] : pair[1].map((value) => `${pair[0]}=${value}`))).join("&"),
    );
  const usual = fc.tuple(pathname, queryString).map(([start, query]) => (query === "" ? start : `${start}?${query}`));
  return fc.oneof(
    { arbitrary: usual, weight: 12 },
    { arbitrary: fc.tuple(usual, rawText).map(([start, more]) => start + more), weight: 1 },
    {
      arbitrary: fc
        .tuple(fc.constantFrom("/", "/api/", "/docs/", "/api/v1/", "/api/v1/proof/"), rawText)
        .map(([start, more]) => start + more),
      weight: 1,
    },
  );
}

function bodyOf(
  openApi: OpenApi,
  { described, examples }: DocumentedOperation,
  token: string,
): fc.Arbitrary<{ type: string | undefined; body: Buffer }> {
  const contents: readonly (readonly [string, ParsedJson])[] = Object.entries(described.requestBody?.content ?? {});
  const none = fc.constant({ type: undefined, body: Buffer.alloc(0) });
  const odd = fc
    .tuple(fc.constantFrom(...TYPES), oddValue.chain(jsonText))
    .map(([type, text]) => ({ type, body: Buffer.from(text) }));
  if (contents.length === 0) return fc.oneof({ arbitrary: none, weight: 12 }, { arbitrary: odd, weight: 1 });
  const usual = contents.map(([type, { schema }]) => {
    const closed = openApi.closed(schema);
    const text =
      closed.contentSchema === undefined
        ? valueOf(closed).chain((value) => jsonText(withToken(value, token)))
        : fc
            .array(valueOf(closed.contentSchema).chain(jsonText), { maxLength: 6 })
            .chain((texts) => fc.constantFrom("\n", "\r\n", "\n\n", " ").map((end) => texts.join(end)));
    const sentAs = fc.oneof(
      { arbitrary: fc.constant(type), weight: 10 },
      { arbitrary: fc.constantFrom(...TYPES), weight: 1 },
    );
    const bytes = fc.oneof(
      { arbitrary: text.map((written) => Buffer.from(written)), weight: 12 },
      { arbitrary: text.map((written) => Buffer.from(written, "latin1")), weight: 1 },
      { arbitrary: text.map((written) => Buffer.from(written, "utf16le")), weight: 1 },
      { arbitrary: fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array)), weight: 1 },
    );
    return fc.tuple(sentAs, bytes).map(([sent, body]) => ({ type: sent, body }));
  });
  // Requests for existing items get further than those for unknown ones.
  const documented = examples.flatMap(({ body }) =>
    body === undefined
      ? []
      : [
          fc.constant({
            type: body.type,
            body: Buffer.from(typeof body.value === "string" ? body.value : JSON.stringify(body.value)),
          }),
        ],
  );
  return fc.oneof(
    { arbitrary: fc.oneof(...usual), weight: 15 },
    { arbitrary: fc.oneof(...documented), weight: 3 },
    { arbitrary: odd, weight: 1 },
    { arbitrary: none, weight: 1 },
  );
}

/** A call with a token that is good, where it cannot end the session. */
function withToken(value: unknown, token: string): unknown {
  const isCall =
    typeof value === "object" &&
    value !== null &&
    "route" in value &&
    typeof value.route === "string" &&
    value.route.startsWith("/api/datastore/");
  return isCall && "credentials" in value && typeof value.credentials === "object"
    ? { ...value, credentials: { token } }
    : value;
}
