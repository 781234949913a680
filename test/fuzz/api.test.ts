import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import fc from "fast-check";
import { CONTRACT } from "../support/examples.ts";
import { OpenApi, openApiText } from "../support/openapi.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { type RawRequest, requestsOf } from "./requests.ts";
import { type RawResponse, send } from "./wire.ts";

/** More runs, or others, on demand. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 150);
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
/** Ends a request that hangs. */
const TIMEOUT_MILLISECONDS = 60_000;
const ROOT = join(import.meta.dirname, "../..");

/** What never leaves the server: traces, places of files, statements, names of what it is built with. */
const INTERNAL =
  /node_modules|node:internal|\.[cm]?[jt]s:\d|\n\s+at |SQLITE|SqliteError|\b(select|insert into|update) .* (from|values|set) |\bECONN|\bEADDR|undefined is not|cannot read propert|is not a function/i;
/** How requests are refused that belong to no operation, or are not even requests. */
const OUTSIDE = [400, 404, 405, 408, 413, 414, 415, 417, 421, 431];

describe("both APIs, with arbitrary requests", function () {
  const openApi = new OpenApi(openApiText());
  let server: TestServer;
  let token: string;
  let secrets: readonly string[];
  let ids: readonly string[];

  before(async () => {
    server = await startServer(
      {
        SESSION_LIFETIME: "36000",
        STORE_RATE: "1000000",
        QUERY_RATE: "1000000",
      },
      { settings: { explorer: { rate: 1e6 }, sessions: { loginAttemptsPerSource: 5 } } },
    );
    token = await server.login();
    const proof = (await server.post("/api/v1/proof", { document_id: "known", hash: "ab".repeat(32) })).body;
    await server.post("/api/v1/proof", CONTRACT);
    const documents = ["a", "b"].map((document_id) => ({ document_id, hash: "cd".repeat(32) }));
    const { batch } = (await server.post("/api/v1/proof/batch", { documents })).body;
    ids = ["known", proof.id, proof.proof.tx_hash, batch.id, batch.tx_hash];
    const keys = readFileSync(join(server.directory, "keys.json"), "utf8").match(/[0-9a-f]{64}/gi) ?? [];
    assert.isNotEmpty(keys);
    secrets = [...keys, server.demo.password, server.directory, ROOT];
  });
  after(() => server.stop());

  function check({ method, target, headers: sent }: RawRequest, response: RawResponse | undefined): void {
    // Nobody waits for what was announced and did not come.
    if (response === undefined && sent.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))) return;
    assert.isDefined(response, "a response");
    if (response === undefined) return;
    const { status, headers, text } = response;
    assert.isTrue(status < 500 || status === 503, `status ${status}`);
    assert.notMatch(text, INTERNAL);
    for (const secret of secrets) assert.notInclude(text.toLowerCase(), secret.toLowerCase());
    assert.isFalse(headers.has("x-powered-by"));
    const type = headers.get("content-type") ?? "";
    if (text === "" || method === "HEAD") {
      // What Node's parser refuses has no body, and a list of lines can be empty.
      assert.isTrue(
        type.startsWith("application/x-ndjson") ||
          method === "HEAD" ||
          OUTSIDE.includes(status) ||
          (status >= 300 && status < 400),
        `an empty response with status ${status}`,
      );
      return;
    }
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.include(headers.get("content-security-policy"), "default-src 'none'");
    if (type.startsWith("application/problem+json")) assert.equal(JSON.parse(text).status, status);
    else if (status >= 400) assert.equal(JSON.parse(text).status, 0, "an envelope");
    const operation = openApi.operationOf(method, target.replace(/#.*/s, "").replace(/\/(?=\?|$)/, ""));
    if (operation === undefined) return;
    const fault = openApi.faultOf(operation, status, type, text);
    if (fault !== undefined && !(fault.startsWith("status ") && OUTSIDE.includes(status)))
      assert.fail(`${operation.id}: ${fault}`);
  }

  for (const operation of openApi.operations) {
    // Security, network: cannot cause a 5xx response or reveal internals with any request
    it(`${operation.id}: responds as documented, in time, without internals`, async function () {
      this.timeout(2 * TIMEOUT_MILLISECONDS + RUNS * 1_000);
      // The one operation of the record store stands for seven.
      const numRuns = operation.id === "call" ? 3 * RUNS : RUNS;
      const requests = requestsOf(openApi, operation, { token, ids });
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          try {
            const response = await send(server.url, request, TIMEOUT_MILLISECONDS);
            if (response !== undefined) statuses.add(response.status);
            check(request, response);
          } catch (error) {
            const { method, target, headers, body } = request;
            const reason = error instanceof Error ? error.message : String(error);
            throw new Error(
              [
                reason,
                `${method} ${target.slice(0, 300)}`,
                JSON.stringify(headers),
                body.subarray(0, 500).toString(),
              ].join("\n"),
              { cause: error },
            );
          }
        }),
        { seed: SEED, numRuns, interruptAfterTimeLimit: TIMEOUT_MILLISECONDS + RUNS * 500 },
      );
      for (const first of [2, 4])
        assert.isTrue(
          [...statuses].some((status) => Math.floor(status / 100) === first),
          `statuses: ${[...statuses]}`,
        );
    });
  }

  it("work as before afterwards", async () => {
    const failures = server.log.filter((line) => ["error", "fatal"].includes(JSON.parse(line).level));
    assert.deepEqual(failures, []);
    assert.equal((await server.get("/api/v1/status")).body.status, "ok");
    assert.equal((await server.call(ROUTES.store, { token }, { code: "after", topic: "t", payload: {} })).status, 200);
    assert.equal((await server.post("/api/v1/proof", { document_id: "after", hash: "cd".repeat(32) })).status, 201);
    assert.equal((await server.get("/api/v1/proof/known")).status, 200);
    assert.notProperty({}, "route", "no prototype was touched");
  });
});
