import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { content, refused } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import type { HttpResponse } from "../support/http.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { allTransactions, anchoredHash } from "../support/rpc.ts";
import { type Login, ROUTES, startServer, type TestServer } from "../support/server.ts";

interface ProofRequest {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: { readonly timestamp: number };
}

describe("an unavailable chain", function () {
  let chain: RemoteChain;
  let server: TestServer;
  let account: Login;

  const start = () =>
    // Sessions and records have time on a slow machine while the chain is available.
    startServer({ ...chain.variables, PROOF_WAIT: "1", CHAIN_WAIT: "5" }, { directory: chain.directory });
  before(async () => {
    chain = await startRemoteChain();
    server = await start();
    const made = await server.context.accounts?.create("full");
    assert.isDefined(made);
    account = made;
  });
  after(async () => {
    chain.proxy.mode = "pass";
    await server.stop("keep");
    await chain.close();
  });

  const random = () => randomBytes(4).toString("hex");
  const fresh = (): ProofRequest => ({
    document_id: `doc ${random()}`,
    hash: randomBytes(32).toString("hex"),
    metadata: { timestamp: 1 },
  });
  const submit = (body: object) => server.post("/api/v1/proof", body);
  const verify = (hash: string) => server.get(`/api/v1/verify?hash=${hash}`);
  const store = (token: string, code: string) =>
    server.call(ROUTES.store, { token }, { code, topic: "t", payload: {} });
  const search = (token: string, code = "*") =>
    server.call(ROUTES.search, { token }, { search: { target: "1", value: code } });
  const found = async (token: string, code: string): Promise<number> =>
    content(await search(token, code), ROUTES.search).tparams.events.length;
  const timesOnChain = async (text: string) =>
    (await allTransactions(chain.url)).filter(({ input }) => input.includes(text)).length;
  const timesAnchored = async (id: string) =>
    timesOnChain(anchoredHash((await server.get(`/api/v1/proof/${id}`)).body.proof));
  const confirmed = (id: string) =>
    eventually(async () => {
      const { body } = await server.get(`/api/v1/proof/${id}`);
      assert.equal(body.status, "confirmed");
      return body;
    });

  describe("for some time", function () {
    const waiting = fresh();
    const known = fresh();
    const many = Array.from({ length: 30 }, fresh);
    const code = `unavailable ${random()}`;
    let tokens: { live: string; validated: string; closed: string };
    let responses: Record<
      | "first"
      | "again"
      | "known"
      | "login"
      | "store"
      | "validate"
      | "close"
      | "search"
      | "verifyWaiting"
      | "byId"
      | "byDocument"
      | "status"
      | "metrics",
      HttpResponse
    > & { many: HttpResponse[]; needing: HttpResponse[] };

    before(async () => {
      await confirmed((await submit(known)).body.id);
      tokens = {
        live: await server.login(account),
        validated: await server.login(account),
        closed: await server.login(account),
      };
      chain.proxy.mode = "off";
      const pending = submit(waiting);
      const others = Promise.all(many.map(submit));
      const calls = Promise.all([
        server.call(ROUTES.auth, account),
        store(tokens.live, code),
        server.call(ROUTES.validate, { token: tokens.validated }),
        server.call(ROUTES.close, { token: tokens.closed }),
        search(tokens.live),
        submit(known),
      ]);
      const first = await pending;
      const [login, stored, validate, close, searched, repeated] = await calls;
      responses = {
        first,
        login,
        store: stored,
        validate,
        close,
        search: searched,
        known: repeated,
        many: await others,
        again: await submit(waiting),
        verifyWaiting: await verify(waiting.hash),
        byId: await server.get(first.headers.get("location") ?? "/none"),
        byDocument: await server.get(`/api/v1/proof/${encodeURIComponent(waiting.document_id)}`),
        status: await server.get("/api/v1/status"),
        metrics: await server.get("/metrics"),
        needing: await Promise.all([
          verify(known.hash),
          server.post("/api/v1/recovery/verify", { documents: [{ document_id: known.document_id, hash: known.hash }] }),
          server.get("/api/v1/recovery/inventory"),
          server.get("/api/v1/recovery/gap?against=journal"),
          server.post("/api/v1/recovery/attest", { hash: known.hash, audience: "court" }),
          server.get("/explorer/api/chain"),
        ]),
      };
      chain.proxy.mode = "pass";
      await confirmed(first.body.id);
    });

    it("accepts a proof as pending, and returns it by its id", () => {
      const { first, byId, byDocument } = responses;
      assert.equal(first.status, 202, first.text);
      assert.equal(first.body.status, "pending");
      assert.match(first.body.id, /^[0-9a-f]{64}$/);
      assert.match(first.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
      for (const { status, body } of [byId, byDocument]) {
        assert.equal(status, 200);
        assert.equal(body.status, "pending");
        assert.equal(body.id, first.body.id);
      }
    });

    it("returns the same pending proof for the same record", () => {
      assert.equal(responses.again.status, 202);
      assert.equal(responses.again.body.id, responses.first.body.id);
    });

    it("reports a pending proof as not valid yet", () => {
      assert.equal(responses.verifyWaiting.status, 200);
      assert.strictEqual(responses.verifyWaiting.body.valid, false);
      assert.isNotEmpty(responses.verifyWaiting.body.message);
    });

    it("returns earlier proofs", () => {
      assert.equal(responses.known.status, 200);
      assert.equal(responses.known.body.status, "confirmed");
    });

    it("responds with a problem and a retry time where the chain is required", () => {
      for (const { status, headers, body, text } of responses.needing) {
        assert.equal(status, 503, text);
        assert.match(headers.get("content-type") ?? "", /problem\+json/);
        assert.equal(body.type, "urn:sealbook:problem:chain_unavailable");
        assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, body.detail);
      }
    });

    it("appears in status and metrics", () => {
      assert.equal(responses.status.status, 200);
      assert.equal(responses.status.body.status, "down");
      assert.equal(responses.metrics.status, 200);
      assert.match(responses.metrics.text, /^sealbook_chain_up 0$/m);
      assert.match(responses.metrics.text, /^sealbook_proofs_pending 31$/m);
    });

    // Security, node: the node can fail in any way; no accepted proof is lost or anchored twice
    it("confirms every pending proof afterwards, with one transaction", async () => {
      const proof = await confirmed(responses.first.body.id);
      assert.isTrue((await verify(waiting.hash)).body.valid);
      const repeated = await submit(waiting);
      assert.equal(repeated.status, 200);
      assert.deepEqual(repeated.body, proof);
      const pending = [responses.first, ...responses.many];
      for (const { status } of pending) assert.equal(status, 202);
      const hashes: string[] = [];
      for (const { body } of pending) hashes.push(anchoredHash((await confirmed(body.id)).proof));
      const all = await allTransactions(chain.url);
      for (const anchored of hashes) {
        assert.lengthOf(
          all.filter(({ input }) => input.includes(anchored)),
          1,
        );
      }
      assert.equal((await server.get("/api/v1/status")).body.status, "ok");
    });

    it("searches in the index, and rejects calls that need the chain with 503", () => {
      content(responses.search, ROUTES.search);
      for (const [route, response] of [
        [ROUTES.auth, responses.login],
        [ROUTES.store, responses.store],
        [ROUTES.validate, responses.validate],
        [ROUTES.close, responses.close],
      ] as const) {
        refused(response, route, 503, "chain_unavailable");
        assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/, route);
      }
    });

    it("keeps its responses about the rejected record correct", async () => {
      const { message } = responses.store.body.content.error;
      const willBe = /will be stored/.test(message);
      assert.isTrue(willBe || /not stored/.test(message), message);
      assert.equal((await store(tokens.live, "afterwards")).status, 200);
      assert.equal(await found(tokens.live, "afterwards"), 1);
      assert.equal(await found(tokens.live, code), willBe ? 1 : 0);
    });

    for (const name of ["validated", "closed"] as const) {
      it(`leaves a token after ${name} valid for everything or for nothing`, async () => {
        const token = tokens[name];
        const found = await search(token);
        const validated = await server.call(ROUTES.validate, { token });
        assert.equal(found.status, validated.status, `${found.text.slice(0, 300)} but ${validated.text}`);
      });
    }
  });

  it("reports a hanging node in status and metrics before its calls time out", async () => {
    const blocked: (() => void)[] = [];
    chain.proxy.intercept = () => new Promise((resolve) => blocked.push(() => resolve("pass")));
    const before = chain.proxy.withoutResponse;
    const [status, metrics] = await Promise.all([server.get("/api/v1/status"), server.get("/metrics")]);
    assert.equal(chain.proxy.withoutResponse, before, "nothing was given up");
    assert.isAbove(blocked.length, 0, "no call got a response");
    chain.proxy.mode = "pass";
    for (const response of blocked) response();
    assert.equal(status.status, 200);
    assert.equal(status.body.status, "down");
    assert.isNull(status.body.node.block_number);
    assert.equal(metrics.status, 200);
    assert.match(metrics.text, /^sealbook_journal_entries \d+$/m);
    assert.notMatch(metrics.text, /^sealbook_chain_(block_age_seconds|peers) /m);
    await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.status, "ok"));
  });

  it("causes no second transaction after a truncated response", async () => {
    chain.proxy.mode = "deaf";
    const proofs = await Promise.all(Array.from({ length: 5 }, () => submit(fresh())));
    for (const { body } of proofs) await confirmed(body.id);
    chain.proxy.mode = "pass";
    for (const { body } of proofs) assert.equal(await timesAnchored(body.id), 1);
  });

  it("responds from the journal after a restart, and catches up", async () => {
    const known = fresh();
    const { id } = (await submit(known)).body;
    const { proof } = await confirmed(id);
    const token = await server.login(account);
    chain.proxy.mode = "off";
    const signed = (await submit(fresh())).body;
    assert.equal(signed.status, "pending");
    await server.stop("keep");
    server = await start();
    assert.deepEqual((await server.get(`/api/v1/proof/${id}`)).body.proof, proof);
    assert.equal((await server.get(`/api/v1/proof/${signed.id}`)).body.status, "pending");
    assert.deepEqual((await submit(known)).body.proof, proof);

    // Nothing is signed while the nonce is unknown: the intent is withdrawn.
    const code = `unsigned ${random()}`;
    const [unsigned, validated, stored] = await Promise.all([
      submit(fresh()),
      server.call(ROUTES.validate, { token }),
      store(token, code),
    ]);
    assert.equal(unsigned.status, 202);
    refused(validated, ROUTES.validate, 503, "chain_unavailable");
    assert.match(refused(stored, ROUTES.store, 503, "chain_unavailable"), /not stored/);
    assert.match(stored.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    content(await search(token), ROUTES.search);

    chain.proxy.mode = "pass";
    for (const one of [signed.id, unsigned.body.id]) {
      await confirmed(one);
      assert.equal(await timesAnchored(one), 1);
    }
    const next = content(await server.call(ROUTES.validate, { token }), ROUTES.validate).tparams.tx;
    assert.equal(await found(next, code), 0);
  });
});
