import { createHash, randomBytes } from "node:crypto";
import { assert } from "chai";
import { Contract, JsonRpcProvider } from "ethers";
import { verifyPath } from "../../server/journal/integrity/merkle.ts";
import type { HttpResponse } from "../support/http.ts";
import { allTransactions } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";

const VERIFY_ABI = ["function verify(bytes32 leaf, bytes32[] path, bytes32 root) view returns (bool)"];

describe("a bulk call", function () {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  const post = (documents: unknown) => server.post("/api/v1/proof/batch", { documents });
  const documentsOf = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) => ({
      document_id: `${name} ${n}`,
      hash: createHash("sha256").update(`${name} ${n}`).digest("hex"),
      metadata: { timestamp: 1_700_000_000 + n, type: "log" },
    }));
  const bytes = (hex: string) => Buffer.from(hex.replace(/^0x/, ""), "hex");
  const assertWhole = async ({ body }: HttpResponse, count: number): Promise<void> => {
    assert.lengthOf(body.proofs, count);
    const provider = new JsonRpcProvider(server.chainUrl);
    const contract = new Contract(body.proofs[0].proof.contract, VERIFY_ABI, provider).getFunction("verify");
    for (const [index, { status, proof }] of body.proofs.entries()) {
      assert.equal(status, "confirmed");
      assert.equal(proof.tx_hash, body.batch.tx_hash);
      assert.equal(proof.merkle.root, body.batch.root);
      assert.equal(proof.merkle.index, index);
      assert.isTrue(verifyPath(bytes(proof.record_hash), proof.merkle.path.map(bytes), bytes(body.batch.root)));
      if (index % 100 === 0)
        assert.isTrue(await contract(`0x${proof.record_hash}`, proof.merkle.path, proof.merkle.root));
    }
    provider.destroy();
  };

  it("proves a thousand documents with one transaction, in the order given", async () => {
    const documents = documentsOf(1000, "thousand");
    const response = await post(documents);
    assert.equal(response.status, 201, response.text.slice(0, 500));
    assert.equal(response.body.status, "confirmed");
    assert.hasAllKeys(response.body.batch, [
      "id",
      "root",
      "size",
      "tx_hash",
      "block_number",
      "block_hash",
      "timestamp",
      "validator",
    ]);
    assert.equal(response.body.batch.size, 1000);
    assert.deepEqual(
      response.body.proofs.map((each: HttpResponse["body"]) => each.proof.document_id),
      documents.map(({ document_id }) => document_id),
    );
    await assertWhole(response, 1000);
    const { root, tx_hash } = response.body.batch;
    assert.deepEqual(
      (await allTransactions(server.chainUrl))
        .filter(({ input }) => input.includes(root.slice(2)))
        .map(({ hash }) => hash),
      [tx_hash],
    );
  });

  it("returns the first proofs on a repetition", async () => {
    const documents = documentsOf(20, "twice");
    const first = await post(documents);
    const again = await post(documents);
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, first.body);
  });

  it("puts only new records under its root; a known record returns its first proof", async () => {
    const [known, ...rest] = documentsOf(5, "partly");
    const first = await server.post("/api/v1/proof", known);
    const { status, body } = await post([...rest.slice(0, 2), known, ...rest.slice(2), rest[0]]);
    assert.equal(status, 201);
    assert.equal(body.batch.size, 4);
    assert.deepEqual(body.proofs[2], first.body);
    assert.deepEqual(body.proofs[5], body.proofs[0], "a record that stands in it twice has one proof");
    const single = await server.post("/api/v1/proof", rest[1]);
    assert.equal(single.status, 200);
    assert.deepEqual(single.body, body.proofs[1], "a known hash in a batch returns its first proof");
  });

  it("returns a root and a path for one document too", async () => {
    const response = await post(documentsOf(1, "one"));
    assert.equal(response.status, 201);
    assert.equal(response.body.batch.size, 1);
    await assertWhole(response, 1);
  });

  it("is found by its Location and, in pages, by its transaction", async () => {
    const response = await post(documentsOf(150, "paged"));
    const location = response.headers.get("location") ?? "";
    assert.match(location, /^\/api\/v1\/proof\/batch\/[0-9a-f]{64}$/);
    const path = `/api/v1/proof/tx/${response.body.batch.tx_hash}`;
    for (const pages of [location, path]) {
      const first = await server.get(pages);
      assert.lengthOf(first.body.proofs, 100);
      const second = await server.get(`${pages}?cursor=${first.body.next}`);
      assert.isUndefined(second.body.next);
      const proofs = [...first.body.proofs, ...second.body.proofs];
      assert.deepEqual({ ...second.body, proofs }, response.body);
    }
    for (const query of ["limit=0", "limit=101", "limit=x", "cursor=-1"]) {
      assert.equal((await server.get(`${path}?${query}`)).status, 400, query);
    }
    assert.equal((await server.get(`/api/v1/proof/batch/${randomBytes(32).toString("hex")}`)).status, 404);
  });

  it("is rejected as a whole for an invalid document, naming its index", async () => {
    const documents: unknown[] = documentsOf(4, "faulty");
    documents[1] = { document_id: "", hash: "ab".repeat(32) };
    documents[3] = { document_id: "x", hash: "short" };
    const { status, body } = await post(documents);
    assert.equal(status, 400);
    assert.sameMembers(
      body.errors.map(({ path }: { path: string }) => path),
      ["documents.1.document_id", "documents.3.hash"],
    );
    assert.equal((await server.get("/api/v1/proof/faulty%200")).status, 404, "nothing was accepted");
  });

  it("has 1 to 1000 documents", async () => {
    for (const documents of [[], documentsOf(1001, "many"), undefined, "x", [null]]) {
      assert.equal((await post(documents)).status, 400);
    }
  });

  it("keeps the path of a document with the id batch usable", async () => {
    const hash = randomBytes(32).toString("hex");
    await server.post("/api/v1/proof", { document_id: "batch", hash });
    assert.equal((await server.get("/api/v1/proof/batch")).body.proof.hash, hash);
  });
});
