import { createHash, randomUUID } from "node:crypto";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { assert } from "chai";
import { SEALBOOK } from "../support/sealbook.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { startServer, type TestServer } from "../support/server.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("POST /api/v1/verify with hashes", () => {
  let server: TestServer;
  const prefix = randomUUID();
  const documents = Array.from({ length: 300 }, (_, index) => ({
    document_id: `${prefix} ${index}`,
    hash: sha256(`${prefix} ${index}`),
  }));
  before(async () => {
    server = await startServer({ PROOF_WAIT: "60" });
    assert.equal((await server.post("/api/v1/proof/batch", { documents })).status, 201);
  });
  after(() => server.stop());

  const verify = (body: unknown) => server.post("/api/v1/verify", body);

  it("returns the results in the order of the hashes, with the document of each", async () => {
    const unknown = Array.from({ length: 700 }, (_, index) => sha256(`unknown ${index}`));
    const hashes = [...documents.map(({ hash }) => hash), ...unknown].sort();
    const { status, body } = await verify({ hashes });
    assert.equal(status, 200);
    assert.lengthOf(body.results, 1_000);
    for (const [index, hash = ""] of hashes.entries()) {
      const single = (await verify({ document_hash: hash })).body;
      const known = documents.find((document) => document.hash === hash);
      const named = known && (await server.get(`/api/v1/proof/${encodeURIComponent(known.document_id)}`)).body.proof;
      assert.deepEqual(
        body.results[index],
        known === undefined ? single : { ...single, id: named.record_hash, document_id: known.document_id },
      );
      if (index > 40) break;
    }
    const valid = body.results.filter((result: { valid: boolean }) => result.valid);
    assert.sameMembers(
      valid.map(({ document_id }: { document_id: string }) => document_id),
      documents.map(({ document_id }) => document_id),
    );
  });

  it("takes the same hash twice, and hashes with 0x", async () => {
    const [{ hash } = { hash: "" }] = documents;
    const { body } = await verify({ hashes: [hash, `0x${hash.toUpperCase()}`, sha256("none")] });
    assert.deepEqual(body.results[0], body.results[1]);
    assert.deepEqual(body.results[2], { valid: false, message: "No proof found for this hash" });
  });

  it("names the hash that is wrong, and rejects none, too many, and two questions at once", async () => {
    const [{ hash } = { hash: "" }] = documents;
    for (const [body, detail] of [
      [{ hashes: [hash, "12", hash] }, "hashes.1: is not a SHA-256: 64 hexadecimal digits"],
      [{ hashes: [] }, "hashes: has no hash"],
      [{ hashes: Array(1_001).fill(hash) }, "hashes: has more than 1000 hashes"],
      [{ hashes: hash }, "hashes: is not an array"],
      [{ hashes: [hash], hash }, "hashes: is sent with another hash; send one of them"],
      [{}, "document_hash: is missing"],
    ] as const) {
      const response = await verify(body);
      assert.deepEqual([response.status, response.body.detail], [400, detail]);
    }
    const large = await verify({ hashes: Array(1_000).fill(hash), more: "x".repeat(70_000) });
    assert.equal(large.status, 413);
  });
});

it("verification can be exempt from the authentication: then it names no document", async () => {
  const server = await startServer({ API_AUTH: "apikey", API_AUTH_EXEMPT: "verify,metrics", PROOF_WAIT: "60" });
  try {
    const env = { ...SURROUNDINGS, DATA_DIR: server.directory };
    const create = [SEALBOOK, "apikey", "create", "a test", "--scope", "write", "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, create, { env });
    const credentials = { "X-API-Key": JSON.parse(stdout).key };
    const hash = sha256(randomUUID());
    const proved = await server.post("/api/v1/proof", { document_id: "secret name", hash }, credentials);
    assert.equal(proved.status, 201);
    const { record_hash: id, tx_hash, block_number, timestamp } = proved.body.proof;
    const shown = { valid: true, proof: { tx_hash, block_number, timestamp } };
    assert.deepEqual((await server.get(`/api/v1/verify?hash=${hash}`)).body, shown);
    assert.deepEqual((await server.post("/api/v1/verify", { document_hash: hash })).body, shown);
    assert.deepEqual((await server.post("/api/v1/verify", { hashes: [hash] })).body, { results: [shown] });
    const named = await server.post("/api/v1/verify", { hashes: [hash] }, credentials);
    assert.deepEqual(named.body, { results: [{ ...shown, id, document_id: "secret name" }] });
    const wrong = await server.post("/api/v1/verify", { hashes: [hash] }, { "X-API-Key": "sbk_wrong" });
    assert.equal(wrong.status, 401);
    for (const path of [`/api/v1/proof/${id}`, "/api/v1/status", "/api/v1/recovery/inventory"])
      assert.equal((await server.get(path)).status, 401, path);
    assert.equal((await server.post("/api/v1/proof", { document_id: "a", hash })).status, 401);
    assert.equal((await server.get("/metrics")).status, 200);
  } finally {
    await server.stop();
  }
});
