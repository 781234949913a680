import { assert } from "chai";
import { ProofClient, RecordClient } from "../../client/index.ts";
import { EXAMPLE_CREDENTIALS, EXAMPLE_IDS } from "../support/examples.ts";
import { type DocumentedExample, OpenApi, openApiText } from "../support/openapi.ts";
import { fakeServer } from "./fake-server.ts";

const openApi = new OpenApi(openApiText());
const { login, password, token } = EXAMPLE_CREDENTIALS;
const HASH = "ab".repeat(32);
const record = { code: "c", topic: "t", payload: {} };

const proofs = (url: string) => new ProofClient(url, { retryForMilliseconds: 0 });
const records = (url: string) => new RecordClient(url, { retryForMilliseconds: 0 });

/** Every call of the clients, with the operation that it is of. */
const CALLS: readonly (readonly [
  operation: string,
  isOf: (example: DocumentedExample) => boolean,
  call: (url: string) => Promise<unknown>,
])[] = [
  ["submitProof", () => true, (url) => proofs(url).submit({ document_id: "d", hash: HASH })],
  ["submitProofs", () => true, (url) => proofs(url).submitTogether([{ document_id: "d", hash: HASH }])],
  ["findBatch", () => true, (url) => proofs(url).batch(EXAMPLE_IDS.batch).next()],
  ["findProof", isUsual, (url) => proofs(url).find("a document/with a slash")],
  ["findProof", (example) => !isUsual(example), (url) => proofs(url).bundle("a document/with a slash")],
  ["findByTransaction", () => true, (url) => proofs(url).findByTransaction(EXAMPLE_IDS.transaction)],
  ["verifyHash", () => true, (url) => proofs(url).verify(HASH)],
  ["status", () => true, (url) => proofs(url).status()],
  ["listAlerts", () => true, (url) => proofs(url).alerts({ limit: 1 })],
  [
    "attest",
    ({ response }) => response.type !== "application/jose" && !isPaper(response),
    (url) => proofs(url).attest({ document_id: "d", audience: "court" }),
  ],
  ["attest", ({ response }) => isPaper(response), (url) => proofs(url).attestPdf({ hash: HASH, audience: "seller" })],
  [
    "verifyRestored",
    ({ response }) => response.type === "application/x-ndjson",
    (url) => Array.fromAsync(proofs(url).verifyRestored([{ document_id: "d", hash: HASH }])),
  ],
  ["inventory", () => true, (url) => proofs(url).inventory({ date: "2026-11-21" }).next()],
  ["gap", ({ query }) => query["against"] === undefined, (url) => proofs(url).gap(EXAMPLE_IDS.verification).next()],
  ["gap", ({ query }) => query["against"] === "journal", (url) => proofs(url).unknownAnchors().next()],
  ["call", isRoute("/api/admin/auth"), (url) => records(url).auth(login, password)],
  ["call", isRoute("/api/admin/session/validate"), (url) => records(url).validate(token)],
  ["call", isRoute("/api/admin/session/extend"), (url) => records(url).extend(token)],
  ["call", isRoute("/api/admin/session/close"), (url) => records(url).close(token)],
  ["call", isRoute("/api/datastore/event/store"), (url) => records(url).store(token, record)],
  ["call", isRoute("/api/datastore/event/search"), (url) => records(url).page(token, { field: "code", value: "*" })],
  ["call", isRoute("/api/datastore/transaction/decode"), (url) => records(url).decode(token, "set", "0x")],
];

function isRoute(route: string): (example: DocumentedExample) => boolean {
  return ({ body }) => (body?.value as { route?: string } | undefined)?.route === route;
}

/** Not as a bundle. */
function isUsual({ query }: DocumentedExample): boolean {
  return query["format"] === undefined;
}

function isPaper({ type }: DocumentedExample["response"]): boolean {
  return type === "application/pdf";
}

describe("client and API document", () => {
  it("match: every call is an operation with the same responses", async () => {
    for (const [id, isOf, call] of CALLS) {
      const operation = openApi.operations.find((candidate) => candidate.id === id) ?? assert.fail(id);
      const examples = operation.examples.filter((example) => example.response.status < 300 && isOf(example));
      assert.isNotEmpty(examples, id);
      for (const { response } of examples) {
        await using server = await fakeServer({
          status: response.status,
          headers: { "Content-Type": response.type },
          body: response.value,
        });
        await call(server.url);
        const { method, url, body, headers } = server.received[0] ?? assert.fail(id);
        assert.equal(openApi.operationOf(method, url)?.id, id, url);
        if (body === "") continue;
        for (const value of body.trimEnd().split("\n"))
          assert.equal(openApi.faultOfBody(operation, headers["content-type"] ?? "", JSON.parse(value)), undefined, id);
      }
    }
  });

  it("are complete: every operation of both APIs is a call", () => {
    const operations = openApi.operations.filter(({ path }) => /^\/api(\/|$)/.test(path)).map(({ id }) => id);
    // Requested with GET as well.
    assert.sameMembers([...new Set(CALLS.map(([id]) => id)), "verifyPostedHash"], operations);
  });

  it("have the same error codes", async () => {
    for (const [id, isOf, call] of CALLS) {
      const operation = openApi.operations.find((candidate) => candidate.id === id) ?? assert.fail(id);
      for (const { response } of operation.examples.filter(
        (example) => example.response.status >= 400 && isOf(example),
      )) {
        await using server = await fakeServer({
          status: response.status,
          headers: { "Content-Type": response.type },
          body: response.value,
        });
        const thrown: unknown = await call(server.url).catch((error: unknown) => error);
        // The client returns nothing for a missing item.
        if (response.status === 404 && thrown === undefined) continue;
        assert.deepInclude(thrown, { name: "ClientError", status: response.status });
        assert.notPropertyVal(thrown, "code", "unexpected_response");
      }
    }
  });
});
