import { randomBytes, randomUUID } from "node:crypto";
import { assert } from "chai";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content, refused } from "../support/envelope.ts";
import type { HttpResponse } from "../support/http.ts";
import { allTransactions } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const REUSED = "Idempotency-Key: was used for another call within 24 hours";
const TYPE = "urn:sealbook:problem:key_reused";

for (const engine of ENGINES)
  describe(`a call with an Idempotency-Key, on ${engine}`, () => {
    let server: TestServer;
    let database: EngineDatabase;
    let token: string;
    /** Added to the server's clock. */
    let later = 0;

    before(async () => {
      database = await emptyDatabase(engine);
      const clock = (): number => Date.now() + later;
      const variables = { DATABASE_URL: database.url, SESSION_LIFETIME: "3600" };
      server = await startServer(variables, { overrides: { clock } });
      token = await server.login();
    });
    after(async () => {
      await server.stop();
      await database.remove();
    });

    const keyed = (key: string = randomUUID()): Record<string, string> => ({ "Idempotency-Key": key });
    const transactions = async (): Promise<number> => (await allTransactions(server.chainUrl)).length;
    const hash = (): string => randomBytes(32).toString("hex");

    describe("that stores a record", () => {
      const record = (code: string = randomUUID()) => ({ code, topic: "t", payload: { pm: 7 } });
      const store = (payload: object, headers: Record<string, string>, by = token) =>
        server.call(ROUTES.store, { token: by }, payload, headers);
      const stored = async (code: string): Promise<number> => {
        const search = { search: { target: "1", value: code } };
        return content(await server.call(ROUTES.search, { token }, search), ROUTES.search).tparams.events.length;
      };

      it("stores it once, and has the same response each time", async () => {
        const [headers, payload] = [keyed(), record()];
        const first = content(await store(payload, headers), ROUTES.store);
        const before = await transactions();
        for (let time = 0; time < 3; time += 1)
          assert.deepEqual(content(await store(payload, headers), ROUTES.store), first);
        assert.equal(await transactions(), before);
        assert.equal(await stored(payload.code), 1);
        const other = content(await store(payload, keyed()), ROUTES.store);
        assert.isAbove(other.chainid, first.chainid, "another key is another record");
        assert.equal(await stored(payload.code), 2);
      });

      it("stores it once when it is made several times at once", async () => {
        for (let round = 0; round < 3; round += 1) {
          const [headers, payload] = [keyed(), record()];
          const responses = await Promise.all(Array.from({ length: 6 }, () => store(payload, headers)));
          const rows = responses.map((response) => content(response, ROUTES.store).chainid);
          assert.lengthOf(new Set(rows), 1);
          assert.equal(await stored(payload.code), 1);
        }
      });

      it("stores it once with the token that has replaced the first one, and from another session", async () => {
        const [headers, payload] = [keyed(), record()];
        const { chainid } = content(await store(payload, headers), ROUTES.store);
        const { tx } = content(await server.call(ROUTES.validate, { token }), ROUTES.validate).tparams;
        token = tx;
        assert.equal(content(await store(payload, headers), ROUTES.store).chainid, chainid);
        const session = await server.login();
        assert.equal(content(await store(payload, headers, session), ROUTES.store).chainid, chainid);
        assert.equal(await stored(payload.code), 1);
      });

      it("is refused with another record, and stores nothing", async () => {
        const [headers, payload] = [keyed(), record()];
        content(await store(payload, headers), ROUTES.store);
        const other = { ...payload, payload: { pm: 8 } };
        assert.equal(refused(await store(other, headers), ROUTES.store, 422, "key_reused"), REUSED);
        assert.equal(await stored(payload.code), 1);
      });

      it("has nothing to do with the same key of another account", async () => {
        const [headers, payload] = [keyed(), record()];
        content(await store(payload, headers), ROUTES.store);
        const account = (await server.context.accounts?.create("full")) ?? assert.fail("no administrator");
        const other = { ...payload, topic: "other" };
        content(await store(other, headers, await server.login(account)), ROUTES.store);
        assert.equal(await stored(payload.code), 2);
      });

      it("is refused with a key that somebody could guess, and without its token", async () => {
        const response = await store(record(), keyed("1"));
        assert.match(refused(response, ROUTES.store, 400, "malformed"), /^Idempotency-Key: is not 16 to 255/);
        const search = { search: { target: "1", value: "*" } };
        const searched = await server.call(ROUTES.search, { token }, search, keyed("1"));
        assert.match(refused(searched, ROUTES.search, 400, "malformed"), /^Idempotency-Key: is not 16 to 255/);
        const [headers, payload] = [keyed(), record()];
        content(await store(payload, headers), ROUTES.store);
        refused(await store(payload, headers, `0x${hash()}`), ROUTES.store, 401, "token_invalid");
      });
    });

    describe("that proves documents", () => {
      const submit = (body: object, headers: Record<string, string>) => server.post("/api/v1/proof", body, headers);
      const submitTogether = (documents: readonly object[], headers: Record<string, string>) =>
        server.post("/api/v1/proof/batch", { documents }, headers);
      const document = () => ({ document_id: randomUUID(), hash: hash() });
      const same = (one: HttpResponse, other: HttpResponse): void => {
        assert.equal(other.status, one.status);
        assert.deepEqual(other.body, one.body);
        assert.equal(other.headers.get("Location"), one.headers.get("Location"));
      };

      it("has the same response each time, with the time of the first one", async () => {
        const [headers, body] = [keyed(), document()];
        const first = await submit(body, headers);
        assert.equal(first.status, 201, first.text);
        const before = await transactions();
        later += 5_000;
        same(first, await submit(body, headers));
        // Another program writes the members of the same call in another order.
        same(first, await submit(Object.fromEntries(Object.entries(body).reverse()), headers));
        assert.equal(await transactions(), before);
        const other = await submit(body, keyed());
        assert.equal(other.status, 201);
        assert.isAbove(other.body.proof.metadata.timestamp, first.body.proof.metadata.timestamp);
      });

      it("has the same response for a batch", async () => {
        const [headers, documents] = [keyed(), [document(), document(), document()]];
        const first = await submitTogether(documents, headers);
        assert.equal(first.status, 201, first.text);
        later += 5_000;
        same(first, await submitTogether(documents, headers));
        assert.equal(first.body.proofs.length, 3);
      });

      it("has the same response when it is made several times at once", async () => {
        for (let round = 0; round < 3; round += 1) {
          const [headers, body] = [keyed(), document()];
          const [first, ...others] = await Promise.all(Array.from({ length: 6 }, () => submit(body, headers)));
          for (const other of others) same(first ?? assert.fail(), other);
          assert.equal(first?.status, 201);
        }
      });

      it("says each time that the proof was there before", async () => {
        const [headers, body] = [keyed(), { ...document(), metadata: { timestamp: 7 } }];
        const first = await submit(body, keyed());
        assert.equal(first.status, 201);
        later += 1_000;
        for (let time = 0; time < 2; time += 1) {
          const { status, body: again } = await submit(body, headers);
          assert.deepEqual([status, again], [200, first.body]);
          later += 1_000;
        }
      });

      it("is refused with another document, and for another call", async () => {
        const [headers, body] = [keyed(), document()];
        assert.equal((await submit(body, headers)).status, 201);
        for (const response of [
          await submit({ ...body, hash: hash() }, headers),
          await submitTogether([body], headers),
        ]) {
          assert.equal(response.status, 422, response.text);
          assert.deepInclude(response.body, { type: TYPE, status: 422, detail: REUSED });
          assert.equal(response.body.errors[0].path, "Idempotency-Key");
        }
        assert.isUndefined((await server.get(`/api/v1/proof/${body.document_id}`)).body.history);
      });

      it("is refused with a key that somebody could guess", async () => {
        const response = await submit(document(), keyed("x".repeat(300)));
        assert.equal(response.status, 400);
        assert.match(response.body.detail, /^Idempotency-Key: is not 16 to 255/);
      });
    });
  });
