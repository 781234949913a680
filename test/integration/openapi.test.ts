import { assert } from "chai";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { createApp } from "../../server/composition/app.ts";
import { content } from "../support/envelope.ts";
import { CONTRACT, EXAMPLE_CREDENTIALS, EXAMPLE_IDS, EXAMPLE_RECORD, ORDERS, RESTORED } from "../support/examples.ts";
import { Recording } from "../support/recording.ts";
import type { HttpResponse } from "../support/http.ts";
import { type DocumentedExample, type DocumentedOperation, OpenApi, openApiText } from "../support/openapi.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { rpcCall } from "../support/rpc.ts";
import { startRemoteChain } from "../support/remote-chain.ts";
import { routesOf, unusedParts } from "../support/routes.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

describe("the OpenAPI document", function () {
  let server: TestServer;
  let openApi: OpenApi;
  before(async () => {
    server = await startServer(
      {},
      { settings: { sessions: { loginAttemptsPerAddress: 1000, loginAttemptsPerSource: 1000 } } },
    );
    openApi = new OpenApi((await server.get("/openapi.json")).text);
  });
  after(() => server.stop());

  it("is served with a cache lifetime", async () => {
    const response = await server.get("/openapi.json");
    assert.match(response.headers.get("content-type") ?? "", /^application\/json\b/);
    assert.equal(response.headers.get("cache-control"), "public, max-age=300");
    const etag = response.headers.get("etag") ?? "";
    const again = await server.get("/openapi.json", { headers: { "If-None-Match": etag, "Cache-Control": "" } });
    assert.equal(again.status, 304);
    assert.equal((await server.post("/openapi.json", {})).status, 405);
    assert.equal(response.body.info.version, (await server.get("/api/v1/status")).body.version);
  });

  it("lists exactly the routes of the server", () => {
    const named = openApi.operations.map(({ method, path }) => `${method} ${path}`);
    const served = routesOf(createApp(unusedParts())).filter((route) => !isOfAPage(route));
    assert.isAbove(served.length, 15);
    assert.sameMembers(served, named);
    const routes = Object.keys(
      openApi.document.paths["/api"].post.requestBody.content["application/json"].schema.discriminator.mapping,
    );
    assert.sameMembers(routes, Object.values(ROUTES));
  });

  it("passes the linter", async function () {
    const config = await createConfig({ extends: ["recommended"] });
    const faults = async (text: string) =>
      (await lintFromString({ source: text, absoluteRef: "/openapi.json", config })).map(
        ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
      );
    const text = JSON.stringify(openApi.document, null, 1);
    assert.deepEqual(await faults(text), []);
    assert.isNotEmpty(
      await faults(text.replace('"operationId": "status"', '"operationId": "live"')),
      "the linter does look",
    );
    assert.isNotEmpty(await faults(text.replaceAll('"documents": 3', '"documents": "3"')), "also at examples");
  });

  /** What stands in examples, and what stands for it on this server. */
  const actual = new Map<string, string>();

  /** Returns the call data of the record that an example stored. */
  const callDataOfTheRecord = async (token: string): Promise<string> => {
    const search = { target: "1", value: EXAMPLE_RECORD.code, limit: 1, locations: true };
    const { tparams } = content(await server.call(ROUTES.search, { token }, { search }), ROUTES.search);
    const url = server.context.embeddedChainUrl ?? assert.fail("the server has no chain of its own");
    return String((await rpcCall(url, "eth_getTransactionByHash", tparams.locations[0].tx_hash)).input);
  };

  describe("has examples", function () {
    before(async () => {
      actual.set(EXAMPLE_CREDENTIALS.login, server.demo.login).set(EXAMPLE_CREDENTIALS.password, server.demo.password);
      const proof = (await server.post("/api/v1/proof", { ...CONTRACT, document_id: "another contract" })).body;
      const batch = (
        await server.post("/api/v1/proof/batch", {
          documents: ORDERS.map((order) => ({ ...order, document_id: `${order.document_id} a` })),
        })
      ).body;
      const { verification_id } = (await server.post("/api/v1/recovery/verify", { documents: RESTORED })).body;
      actual.set(EXAMPLE_IDS.transaction, proof.proof.tx_hash).set(EXAMPLE_IDS.proof, proof.id);
      actual.set(EXAMPLE_IDS.contract, proof.proof.contract);
      actual.set(EXAMPLE_IDS.batch, batch.batch.id).set(EXAMPLE_IDS.verification, verification_id);
    });

    /** `RECORD_EXAMPLES=1` records the responses for the document. */
    const recording = process.env["RECORD_EXAMPLES"] === "1" ? new Recording() : undefined;
    after(() => recording?.write(server.url, actual));

    const replaced = (text: string): string =>
      [...actual].reduce((result, [from, to]) => result.replaceAll(from, to), text);

    /** What an example needs besides a session. */
    const prepare = async ({ id }: DocumentedOperation, { name }: DocumentedExample): Promise<void> => {
      if (id !== "call") return;
      let token = await server.login();
      if (name === "extend") token = String((await server.call(ROUTES.validate, { token })).body.content.tparams.tx);
      actual.set(EXAMPLE_CREDENTIALS.token, token);
      if (name === "decode") actual.set(EXAMPLE_IDS.callData, await callDataOfTheRecord(token));
    };

    const execute = (
      { method, path }: DocumentedOperation,
      { path: parameters, query, body, response }: DocumentedExample,
    ): Promise<HttpResponse> => {
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(replaced(String(parameters[name]))),
      );
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) search.set(name, replaced(String(value)));
      const text = typeof body?.value === "string" ? body.value : JSON.stringify(body?.value);
      return server.get(`${url}?${search}`, {
        method,
        headers: {
          Accept: `${response.type}, application/json;q=0.5`,
          ...(body === undefined ? {} : { "Content-Type": body.type }),
        },
        ...(body === undefined ? {} : { body: replaced(text) }),
      });
    };

    for (const operation of new OpenApi(openApiText()).operations) {
      it(`of ${operation.id} whose responses match`, async () => {
        assert.isNotEmpty(operation.examples);
        for (const example of operation.examples) {
          await prepare(operation, example);
          const { status, headers, text, body } = await execute(operation, example);
          assert.equal(status, example.response.status, `${example.name}: ${text}`);
          assert.equal(
            openApi.faultOf(operation, status, headers.get("content-type") ?? "", text),
            undefined,
            `${example.name}: ${text}`,
          );
          recording?.note(operation.id, example.name, { text, body });
          const { type, value } = example.response;
          assert.equal(
            openApi.faultOf(operation, status, type, typeof value === "string" ? value : JSON.stringify(value)),
            undefined,
            example.name,
          );
          if (status >= 400)
            assert.deepEqual(errorOf(body), errorOf(JSON.parse(replaced(JSON.stringify(value)))), example.name);
          if (type === "application/json")
            assert.sameMembers(Object.keys(body), Object.keys(value as object), example.name);
        }
      });
    }
  });

  describe("describes all kinds of responses", function () {
    const isDescribed = (response: HttpResponse, method: string, path: string, status: number): void => {
      const operation = openApi.operationOf(method, path) ?? assert.fail(path);
      assert.equal(response.status, status, response.text);
      assert.equal(
        openApi.faultOf(operation, status, response.headers.get("content-type") ?? "", response.text),
        undefined,
        response.text,
      );
    };
    const get = async (path: string, status: number, init?: RequestInit) =>
      isDescribed(await server.get(path, init), "GET", path, status);
    const post = async (path: string, body: unknown, status: number, headers?: Record<string, string>) =>
      isDescribed(await server.post(path, body, headers), "POST", path, status);

    it("of the integrity-proof API", async () => {
      const hash = "ab".repeat(32);
      for (const timestamp of [1, 2])
        await post("/api/v1/proof", { document_id: "twice", hash, metadata: { timestamp, more: [1] } }, 201);
      await get("/api/v1/proof/twice", 200);
      await post(
        "/api/v1/proof/batch",
        { documents: [{ document_id: "twice", hash, metadata: { timestamp: 1 } }] },
        200,
      );
      await get(`/api/v1/proof/tx/${(await server.get("/api/v1/proof/order%201")).body.proof.tx_hash}`, 200);
      for (const path of [
        "/api/v1/proof/%ff",
        "/api/v1/verify",
        "/api/v1/proof/batch/x",
        "/api/v1/proof/tx/x",
        "/api/v1/recovery/gap?limit=0",
        "/api/v1/recovery/inventory?date=x",
        "/api/v1/alerts?limit=0",
      ]) {
        await get(path, 400);
      }
      for (const path of ["/api/v1/proof", "/api/v1/proof/batch", "/api/v1/verify", "/api/v1/recovery/verify"]) {
        await post(path, "{", 400);
        await post(path, "x", 415, { "Content-Type": "text/plain" });
        await post(path, `{"a":"${"x".repeat(17 * 1024 * 1024)}"}`, 413);
      }
      await post("/api/v1/recovery/verify", "{}\n", 400, { "Content-Type": "application/x-ndjson" });
      for (const path of [
        "/api/v1/recovery/inventory",
        "/api/v1/recovery/gap",
        "/api/v1/recovery/gap?against=journal",
      ]) {
        await get(path, 200, { headers: { Accept: "application/x-ndjson" } });
      }
    });

    it("of comparisons with optional fields", async () => {
      const hash = "cd".repeat(32);
      await post("/api/v1/proof", { document_id: "changed", hash, metadata: { timestamp: 1 } }, 201);
      await post("/api/v1/proof", { document_id: "changed", hash: "ce".repeat(32), metadata: { timestamp: 2 } }, 201);
      await post(
        "/api/v1/recovery/verify",
        { as_of: new Date().toISOString().slice(0, 10), documents: [{ document_id: "changed", hash }] },
        200,
      );
      await post("/api/v1/recovery/verify", { as_of: 1, documents: [{ document_id: "changed", hash }] }, 200);
    });

    it("of statements", async () => {
      const path = "/api/v1/recovery/attest";
      for (const subject of [{ hash: CONTRACT.hash }, { verification_id: actual.get(EXAMPLE_IDS.verification) }]) {
        await post(path, { ...subject, audience: "regulator" }, 200);
      }
      await post(path, { document_id: CONTRACT.document_id, audience: "judge" }, 400);
      await post(path, { document_id: CONTRACT.document_id, audience: "court" }, 406, { Accept: "text/html" });
      await post(path, "x", 415, { "Content-Type": "text/plain" });
      await post(path, `{"a":"${"x".repeat(100_000)}"}`, 413);
      await get("/api/v1/proof/order%201?format=bundle", 200);
      await get("/api/v1/proof/order%201?format=other", 400);
    });

    it("of the record store API", async () => {
      await post("/api", {}, 400);
      await post("/api", { credentials: {}, method: "GET", route: "/none" }, 404);
      await post("/api", { a: "x".repeat(300_000) }, 413);
      const token = await server.login();
      const call = (route: string, payload?: object) => ({
        credentials: { token },
        method: "GET",
        route,
        ...(payload === undefined ? {} : { payload }),
      });
      for (const code of ["a", "b"]) await post("/api", call(ROUTES.store, { code, topic: "t", payload: {} }), 200);
      await post("/api", call(ROUTES.search, { search: { target: "2", value: "t", limit: 1 } }), 200);
      await post("/api", call(ROUTES.close), 200);
      await post("/api", call(ROUTES.search, { search: { target: "2", value: "t" } }), 401);
    });
  });

  it("describes the rejection of other methods, with the allowed ones", async () => {
    for (const operation of openApi.operations) {
      const response = await server.get(operation.path.replaceAll(/[{}]/g, ""), { method: "DELETE" });
      assert.equal(response.status, 405, operation.id);
      assert.equal(
        openApi.faultOf(operation, 405, response.headers.get("content-type") ?? "", response.text),
        undefined,
        operation.id,
      );
      assert.include((response.headers.get("allow") ?? "").split(", "), operation.method, operation.id);
      assert.property(operation.described.responses[405].headers, "Allow", operation.id);
    }
  });

  it("describes responses to unauthorized callers and above the rate limit", async () => {
    const guarded = await startServer(
      {
        API_AUTH: "apikey",
        TRUSTED_PROXIES: "127.0.0.1",
      },
      { settings: { sessions: { loginAttemptsPerAddress: 1 } } },
    );
    try {
      for (const operation of openApi.operations.filter(({ described }) => described.security.length > 0)) {
        const request = async (status: number, headers: Record<string, string>): Promise<void> => {
          const response = await guarded.get(operation.path.replaceAll(/[{}]/g, ""), {
            method: operation.method,
            headers,
          });
          assert.equal(response.status, status, operation.id);
          assert.equal(
            openApi.faultOf(operation, status, response.headers.get("content-type") ?? "", response.text),
            undefined,
          );
        };
        await request(401, {});
        await request(403, { "X-Forwarded-For": "8.8.8.8" });
      }
      const statuses: number[] = [];
      const operation = openApi.operationOf("POST", "/api") ?? assert.fail();
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const response = await guarded.call(ROUTES.auth, { ...guarded.demo, password: "wrong" });
        statuses.push(response.status);
        assert.equal(
          openApi.faultOf(operation, response.status, response.headers.get("content-type") ?? "", response.text),
          undefined,
        );
      }
      assert.deepEqual(statuses, [401, 429]);
    } finally {
      await guarded.stop();
    }
  });

  it("describes proofs that wait for the chain", async () => {
    const chain = await startRemoteChain();
    const waiting = await startServer({ ...chain.variables, PROOF_WAIT: "1" }, { directory: chain.directory });
    try {
      chain.proxy.mode = "off";
      const isPending = (response: HttpResponse, method: string, path: string): void => {
        const operation = openApi.operationOf(method, path) ?? assert.fail(path);
        assert.equal(response.body.status, "pending", response.text);
        assert.equal(
          openApi.faultOf(operation, response.status, response.headers.get("content-type") ?? "", response.text),
          undefined,
          response.text,
        );
      };
      const sent = await waiting.post("/api/v1/proof", { document_id: "waits", hash: "ab".repeat(32) });
      assert.equal(sent.status, 202);
      isPending(sent, "POST", "/api/v1/proof");
      isPending(await waiting.get("/api/v1/proof/waits"), "GET", "/api/v1/proof/waits");
      isPending(await waiting.post("/api/v1/proof/batch", { documents: ORDERS }), "POST", "/api/v1/proof/batch");
    } finally {
      await waiting.stop("keep");
      await chain.close();
    }
  });
});

/** What a browser gets that looks at a page is no API: its paths are a few, or a pattern. */
function isOfAPage(route: string): boolean {
  return /^GET (\/docs(\/.*)?|\/|\/verify(\/offline\.html)?|\/seal\.svg|\/\^.*)$/.test(route);
}

/** What a refusal says, in either API. */
function errorOf(body: ParsedJson): unknown {
  return body.content?.error?.code ?? { type: body.type, detail: body.detail, errors: body.errors };
}
