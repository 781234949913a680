import { assert } from "chai";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import { ClientError, ProofClient } from "../../client/index.ts";
import { makeAuthority } from "../../network/authority.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { fakeServer, rejection, type Reply } from "./fake-server.ts";

const HASH = createHash("sha256").update("document").digest("hex");
const ID = "12".repeat(32);
const FIELDS = { id: ID, document_id: "d", hash: HASH, record_hash: ID, metadata: { timestamp: 5 } };
const PENDING = { status: "pending", ...FIELDS };
const CONFIRMED = {
  status: "confirmed",
  id: ID,
  proof: {
    ...FIELDS,
    chain_id: 1,
    contract: `0x${"34".repeat(20)}`,
    tx_hash: `0x${"56".repeat(32)}`,
    block_number: 7,
    block_hash: `0x${"78".repeat(32)}`,
    timestamp: 9,
    validator: "v",
    field_of_later: true,
  },
  verification_url: "http://x/",
};
const UNAVAILABLE: Reply = {
  status: 503,
  body: {
    type: "urn:sealbook:problem:chain_unavailable",
    title: "The chain is not reachable",
    status: 503,
    detail: "no response",
  },
};

async function failureOf(promise: Promise<unknown>): Promise<ClientError> {
  const error = await rejection(promise);
  if (!(error instanceof ClientError)) throw error;
  return error;
}

describe("proof client", () => {
  describe("with a server", () => {
    let server: TestServer;
    let client: ProofClient;
    before(async () => {
      server = await startServer({ CHAIN_BLOCK_PERIOD: "2", PROOF_WAIT: "1" });
      client = new ProofClient(server.url);
    });
    after(() => server.stop());

    it("submits, waits for the confirmation and finds the proof by every key", async () => {
      const metadata = { type: "contract", timestamp: 1_700_000_000, source: "tests", more: [1] };
      // The block period exceeds the server's maximum wait: the first response is pending.
      const proof = await client.submit({ document_id: "a/b c?#é", hash: HASH.toUpperCase(), metadata });
      assert.equal(proof.status, "confirmed");
      if (proof.status !== "confirmed") return;
      assert.equal(proof.proof.document_id, "a/b c?#é");
      assert.equal(proof.proof.hash, HASH);
      assert.deepEqual(proof.proof.metadata, metadata);
      assert.deepEqual(await client.find(proof.id), proof);
      assert.deepEqual(await client.find("a/b c?#é"), proof);
      assert.deepEqual(await client.findByTransaction(proof.proof.tx_hash), proof);
      const { tx_hash, block_number, timestamp } = proof.proof;
      assert.deepEqual(await client.verify(HASH), { valid: true, proof: { tx_hash, block_number, timestamp } });
      assert.deepEqual(await client.submit({ document_id: "a/b c?#é", hash: HASH, metadata }), proof);
    });

    it("fetches the portable proof after the confirmation", async () => {
      const request = { document_id: "portable/é", hash: HASH, metadata: { timestamp: 1 } };
      const pending = await client.submit(request, { confirmWithinMilliseconds: 0 });
      if (pending.status === "pending") {
        const refused = await client.bundle(pending.id).then(
          () => undefined,
          (error: unknown) => error,
        );
        // It may have been confirmed in between.
        if (refused !== undefined) assert.propertyVal(refused, "code", "conflict");
      }
      const { id } = await client.submit(request);
      const text = (await client.bundle("portable/é")) ?? assert.fail("there is none");
      assert.equal(JSON.parse(text).record.record_hash, id);
      assert.equal(text, (await server.get(`/api/v1/proof/${id}?format=bundle`)).text);
      assert.isUndefined(await client.bundle("never seen"));
    });

    it("submits many documents under one root, and lists them page by page", async () => {
      const requests = Array.from({ length: 150 }, (_, n) => ({
        document_id: `order ${n}`,
        hash: createHash("sha256").update(String(n)).digest("hex"),
      }));
      const { status, batch, proofs } = await client.submitTogether(requests);
      assert.equal(status, "confirmed");
      assert.equal(batch?.size, 150);
      const documentOf = (proof: (typeof proofs)[number]) =>
        proof.status === "confirmed" ? proof.proof.document_id : undefined;
      assert.deepEqual(
        proofs.map(documentOf),
        requests.map(({ document_id }) => document_id),
      );
      const pages = await Array.fromAsync(client.batch(batch?.id ?? ""));
      assert.deepEqual(
        pages.map((page) => page.proofs.length),
        [100, 50],
      );
      assert.sameMembers(
        pages.flatMap((page) => page.proofs.map(documentOf)),
        requests.map(({ document_id }) => document_id),
      );
      assert.isNotNull(batch);
      assert.deepInclude(await client.findByTransaction(batch?.tx_hash ?? ""), { status: "confirmed", batch });
    });

    it("requests statements as JSON and PDF", async () => {
      const { attestation, statement, kid } = await client.attest({ document_id: "a/b c?#é", audience: "regulator" });
      assert.deepInclude(statement, { audience: "regulator", record_count: 1 });
      assert.equal(statement.issuer.key_id, kid);
      assert.equal(
        JSON.parse(Buffer.from(attestation.split(".")[1] ?? "", "base64url").toString()).audience,
        "regulator",
      );
      const pdf = Buffer.from(await client.attestPdf({ hash: HASH, audience: "court" }));
      assert.match(pdf.toString("latin1"), /^%PDF-1\.\d[^]*%%EOF\s*$/);
      assert.equal(
        (await failureOf(client.attest({ document_id: "never seen", audience: "court" }))).code,
        "not_found",
      );
      assert.equal(
        (await failureOf(client.attestPdf({ document_id: "never seen", audience: "court" }))).code,
        "not_found",
      );
    });

    it("returns the older proofs of a document", async () => {
      await Promise.all(
        [1, 2].map((timestamp) => client.submit({ document_id: "twice", hash: HASH, metadata: { timestamp } })),
      );
      const found = await client.find("twice");
      assert.lengthOf(found?.history ?? [], 1);
      const pages = await Array.fromAsync(client.history("twice"));
      assert.deepEqual(pages, [found]);
    });

    it("returns nothing for unknown items", async () => {
      assert.isUndefined(await client.find("never seen"));
      assert.isUndefined(await client.findByTransaction(`0x${"0".repeat(64)}`));
      assert.deepEqual(await client.verify("0".repeat(64)), { valid: false, message: "No proof found for this hash" });
    });

    it("returns every fault of the input", async () => {
      const error = await failureOf(client.submit({ document_id: "", hash: "12" }));
      assert.deepInclude(error, { name: "ClientError", code: "malformed", status: 400, retryAfterSeconds: undefined });
      assert.deepEqual(
        error.details.map(({ path }) => path),
        ["document_id", "hash"],
      );
      assert.equal(error.problem?.title, "The request is not valid");
      assert.equal((await failureOf(client.findByTransaction("nonsense"))).status, 400);
      assert.equal((await failureOf(client.verify("nonsense"))).status, 400);
    });
  });

  describe("with failures", () => {
    it("retries after 503, 429 and a lost connection, with the same body and idempotency key", async () => {
      const busy: Reply = {
        status: 429,
        headers: { "Retry-After": "0" },
        body: { type: "urn:sealbook:problem:too_many_requests" },
      };
      await using server = await fakeServer(UNAVAILABLE, undefined, busy, { status: 201, body: CONFIRMED });
      assert.deepEqual(await new ProofClient(server.url).submit({ document_id: "d", hash: HASH }), CONFIRMED as never);
      assert.lengthOf(server.received, 4);
      const [first, ...others] = server.received.map(({ body }) => body);
      for (const body of others) assert.equal(body, first);
      const keys = server.received.map(({ headers }) => String(headers["idempotency-key"]));
      assert.match(keys[0] ?? "", /^[0-9a-f]{32}$/);
      assert.lengthOf(new Set(keys), 1);
    });

    it("polls the address that the server names, and no other origin", async () => {
      const later = { "Retry-After": "0" };
      const replies = (location: string): Reply[] => [
        { status: 202, headers: { ...later, Location: location }, body: PENDING },
        { status: 200, headers: later, body: PENDING },
        { status: 200, body: CONFIRMED },
      ];
      for (const [location, path] of [
        ["/elsewhere/7", "/elsewhere/7"],
        ["http://127.0.0.1:9/x", `/api/v1/proof/${ID}`],
      ] as const) {
        await using server = await fakeServer(...replies(location));
        const proof = await new ProofClient(server.url, { headers: { "X-API-Key": "k" } }).submit({
          document_id: "d",
          hash: HASH,
        });
        assert.equal(proof.status, "confirmed");
        assert.deepEqual(
          server.received.map(({ method, url }) => `${method} ${url}`),
          ["POST /api/v1/proof", `GET ${path}`, `GET ${path}`],
        );
        assert.isTrue(server.received.every(({ headers }) => headers["x-api-key"] === "k"));
      }
    });

    it("follows no redirect, so that its key stays secret", async () => {
      await using other = await fakeServer({ status: 200, body: CONFIRMED });
      await using server = await fakeServer({ status: 307, headers: { Location: `${other.url}/api/v1/proof` } });
      const client = new ProofClient(server.url, { headers: { "X-API-Key": "k" }, retryForMilliseconds: 0 });
      const error = await failureOf(client.submit({ document_id: "d", hash: HASH }));
      assert.deepInclude(error, { code: "unreachable" });
      assert.match(error.message, /redirect/);
      assert.lengthOf(other.received, 0);
    });

    it("gives up at its deadline, or immediately, and returns when to retry", async () => {
      await using server = await fakeServer({ ...UNAVAILABLE, headers: { "Retry-After": "60" } });
      const error = await failureOf(new ProofClient(server.url, { retryForMilliseconds: 1_000 }).verify(HASH));
      assert.deepInclude(error, {
        code: "chain_unavailable",
        status: 503,
        message: "no response",
        retryAfterSeconds: 60,
      });
      assert.lengthOf(server.received, 1);
      await failureOf(new ProofClient(server.url, { retryForMilliseconds: 0 }).verify(HASH));
      assert.lengthOf(server.received, 2);
    });

    it("does not retry permanent failures", async () => {
      await using server = await fakeServer({ status: 500, body: "<html>" });
      const error = await failureOf(new ProofClient(server.url).verify(HASH));
      assert.deepInclude(error, { code: "unexpected_response", status: 500, problem: undefined });
      assert.lengthOf(server.received, 1);
    });

    it("rejects malformed portable proofs", async () => {
      for (const body of ["text", {}, { format: "sealbook-bundle/2", record: { record_hash: ID } }, CONFIRMED]) {
        await using server = await fakeServer({ status: 200, body });
        assert.equal((await failureOf(new ProofClient(server.url).bundle("d"))).code, "unexpected_response");
      }
    });

    it("rejects responses with another schema", async () => {
      const { proof } = CONFIRMED;
      for (const body of ["", "<html>", {}, PENDING.metadata, { ...CONFIRMED, proof: { ...proof, tx_hash: "0x12" } }]) {
        await using server = await fakeServer({ status: 200, body });
        const error = await failureOf(new ProofClient(server.url).submit({ document_id: "d", hash: HASH }));
        assert.equal(error.code, "unexpected_response");
      }
    });

    it("tries a server that never responded for seconds only, and one without a trusted certificate once", async () => {
      const start = performance.now();
      const unknown = await failureOf(new ProofClient("http://127.0.0.1:9").status());
      assert.deepInclude(unknown, { code: "unreachable", retryForMilliseconds: 3_000 });
      assert.isBelow(performance.now() - start, 30_000);
      const { certificate: cert, key } = await makeAuthority();
      let connections = 0;
      const untrusted = createServer({ cert, key }).listen(0, "127.0.0.1");
      untrusted.on("connection", () => (connections += 1));
      await once(untrusted, "listening");
      const address = untrusted.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const lasting = await failureOf(new ProofClient(`https://127.0.0.1:${port}`).status());
      untrusted.close();
      assert.deepInclude(lasting, { code: "unreachable", retryForMilliseconds: 0 });
      assert.match(lasting.message, /cannot be reached: INVALID_PURPOSE$/);
      assert.equal(connections, 1);
    });

    it("reports an unreachable server, and can be aborted", async () => {
      const unreachable = await failureOf(new ProofClient("http://127.0.0.1:9", { retryForMilliseconds: 0 }).status());
      assert.deepInclude(unreachable, { code: "unreachable", status: undefined });
      await using server = await fakeServer({ status: 202, headers: { "Retry-After": "1" }, body: PENDING });
      const client = new ProofClient(server.url);
      const controller = new AbortController();
      const submitted = rejection(client.submit({ document_id: "d", hash: HASH }, { signal: controller.signal }));
      setTimeout(() => controller.abort(), 50);
      assert.propertyVal(await submitted, "name", "AbortError");
    });
  });
});
