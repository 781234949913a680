import { spawn } from "node:child_process";
import { createHash, createPublicKey } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import {
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
} from "jose";
import { canonicalJson } from "../../server/kit/json.ts";
import { IssuerKeys, issuerKeysFile } from "../../server/issuer/issuer-keys.ts";
import { runTool } from "../support/debian-tools.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import type { HttpResponse } from "../support/http.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const NAME = "Archive of the Port";
const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

/** Encodes the two numbers of a signature as ASN.1. */
function derSignature(signature: Buffer): Buffer {
  const integers = [signature.subarray(0, 32), signature.subarray(32)].map((number) => {
    const digits = number.subarray(number.findIndex((byte) => byte !== 0));
    const padded = (digits[0] ?? 0) < 0x80 ? digits : Buffer.concat([Buffer.of(0), digits]);
    return Buffer.concat([Buffer.of(2, padded.length), padded]);
  });
  const content = Buffer.concat(integers);
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
}

describe("attestations", function () {
  let server: TestServer;
  let directory: string;
  before(async () => {
    directory = await temporaryDirectory();
    server = await startServer({ ISSUER_NAME: NAME });
  });
  after(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  const attest = (body: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    server.post("/api/v1/recovery/attest", body, headers);
  const attested = async (body: unknown): Promise<ParsedJson> => {
    const response = await attest(body);
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  const record = async (documentId: string, document: string, metadata: object = {}): Promise<ParsedJson> => {
    const { body } = await server.post("/api/v1/proof", { document_id: documentId, hash: sha256(document), metadata });
    assert.equal(body.status, "confirmed");
    return body.proof;
  };
  const batch = async (documents: readonly object[]): Promise<ParsedJson[]> => {
    const { status, body } = await server.post("/api/v1/proof/batch", { documents });
    assert.equal(status, 201);
    return body.proofs.map((response: ParsedJson) => response.proof);
  };
  const keySet = async (): Promise<ParsedJson> => (await server.get("/.well-known/jwks.json")).body;

  /** Runs every step as it is written, and looks for what it is said to print. */
  async function follow(response: ParsedJson, document: string, skip: readonly string[] = []): Promise<string[]> {
    await writeFile(join(directory, "attestation.jws"), `${response.attestation}\n`);
    for (const { file, content } of response.attachments) await writeFile(join(directory, file), content);
    await writeFile(join(directory, "document"), document);
    const env = { ...SURROUNDINGS, DOCUMENT: "document", NODE: server.chainUrl };
    const failed: string[] = [];
    for (const { title, run, expect } of response.statement.steps) {
      if (skip.includes(title)) continue;
      const child = spawn("sh", ["-c", run], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      if (expect.some((value: string) => !out.includes(value))) failed.push(`${title}: ${out}${err}`);
    }
    return failed;
  }
  /** The files are there already, and the inputs in the environment. */
  const ASSUMED = ["The attached files", "Inputs"];

  it("contain a document's records, signed with a published key; every claim is verifiable", async () => {
    const documentId = `Vertrag 7 'ü' "你好" 100% \\u{41} -n`;
    const older = await record(documentId, "first", { type: "contract", timestamp: 1_700_000_000 });
    const [newest] = await batch([
      {
        document_id: documentId,
        hash: sha256("second"),
        metadata: { timestamp: 1_700_000_001, source: "orders", more: { ключ: [1.5, null] } },
      },
      ...[1, 2, 3].map((n) => ({ document_id: `other ${n}`, hash: sha256(`other ${n}`) })),
    ]);
    for (const audience of ["court", "regulator", "seller"]) {
      const response = await attested({ document_id: documentId, audience });
      assert.hasAllKeys(response, ["attestation", "statement", "attachments", "kid", "jwks_url"]);
      const { attestation, statement, kid, jwks_url } = response;
      assert.equal(jwks_url, `${server.url}/.well-known/jwks.json`);
      const { payload, protectedHeader } = await compactVerify(attestation, createRemoteJWKSet(new URL(jwks_url)));
      assert.deepEqual(protectedHeader, { alg: "ES256", kid, typ: "sealbook-attestation+jws" });
      assert.equal(Buffer.from(payload).toString(), canonicalJson(statement));

      assert.deepEqual(statement.subject, { document_id: documentId });
      assert.deepInclude(statement, { format: "sealbook-attestation/1", audience, record_count: 2 });
      assert.deepEqual(statement.issuer, {
        name: NAME,
        key_id: kid,
        public_key: statement.issuer.public_key,
        jwks_url,
      });
      assert.equal(await calculateJwkThumbprint(statement.issuer.public_key), kid);
      assert.deepEqual(
        statement.attachments,
        response.attachments.map(({ file, content }: ParsedJson) => ({ file, sha256: sha256(content) })),
      );
      assert.deepEqual(
        response.attachments.map(({ file }: ParsedJson) => file),
        ["verify.mjs", "proof-1.bundle.json", "proof-2.bundle.json"],
      );
      assert.equal(statement.chain.contract, newest.contract);
      const [first, second] = statement.records;
      for (const [stated, proof] of [
        [first, newest],
        [second, older],
      ]) {
        const { id: _, chain_id: __, contract: ___, merkle = null, ...fields } = proof;
        assert.deepInclude(stated, { ...fields, merkle });
        assert.equal(stated.verification_url, `${server.url}/explorer/tx/${proof.tx_hash}`);
        const size = proof === newest ? 4 : 0;
        assert.deepEqual(stated.first_anchor, { timestamp: proof.timestamp, block_number: proof.block_number, size });
      }
      const sentences = [statement.introduction, ...statement.claims, ...statement.limitations].join(" ");
      for (const fact of [documentId, first.hash, "There are 2 confirmed records", statement.chain.contract])
        assert.include(sentences, fact);
      assert.deepEqual(
        statement.checks.map(({ outcome }: ParsedJson) => outcome),
        Array(5).fill("passed"),
      );
    }
    const audienceFault = async (audience: string): Promise<string> =>
      JSON.stringify((await attested({ document_id: documentId, audience })).statement.limitations);
    assert.equal(new Set(await Promise.all(["court", "regulator", "seller"].map(audienceFault))).size, 3);

    const reply = await attested({ document_id: documentId, audience: "court" });
    assert.includeMembers(
      reply.statement.steps.map(({ title }: ParsedJson) => title),
      ["The Merkle path", "The recorded hash", "The signature, with OpenSSL"],
    );
    assert.deepEqual(await follow(reply, "second", ASSUMED), []);
    // What does not hold is seen.
    const titles = (await follow(reply, "another", ASSUMED)).map((failed) => failed.split(":")[0]);
    assert.deepEqual(titles, ["All checks, with the document", "The document"]);
    const forged = {
      ...reply,
      attestation: reply.attestation.replace(/\.(.)/, (_: string, c: string) => `.${c === "A" ? "B" : "A"}`),
    };
    assert.deepEqual(
      (await follow(forged, "second", ASSUMED)).map((failed) => failed.split(":")[0]),
      ["All checks, offline", "All checks, with the document", "The signature, with OpenSSL"],
    );
  });

  it("cover a record anchored alone", async () => {
    const proof = await record("-e alone\\n", "alone", { timestamp: 5 });
    const response = await attested({ document_id: "-e alone\\n", audience: "seller" });
    assert.equal(response.statement.records[0].record_hash, proof.record_hash);
    assert.isNull(response.statement.records[0].merkle);
    assert.deepEqual(await follow(response, "alone", ASSUMED), []);
  });

  it("cover every document with the recorded content", async () => {
    for (const [id, timestamp] of [
      ["copy 1", 1],
      ["copy 2", 1],
      ["copy 2", 2],
    ] as const)
      await record(id, "copied", { timestamp });
    const { statement } = await attested({ hash: `0x${sha256("copied").toUpperCase()}`, audience: "court" });
    assert.deepEqual(statement.subject, { hash: sha256("copied") });
    assert.deepEqual(
      statement.records.map((r: ParsedJson) => [r.document_id, r.metadata.timestamp]),
      [
        ["copy 2", 2],
        ["copy 2", 1],
        ["copy 1", 1],
      ],
    );
  });

  it("contain the root of all rows of a verification, computed from the response's rows", async () => {
    const known = await record("restored", "restored", { timestamp: 1 });
    const rows = [
      { document_id: "restored", hash: known.hash },
      { document_id: "restored", hash: sha256("damaged") },
      ...Array.from({ length: 5 }, (_, n) => ({ document_id: `lost ${n} ☃`, hash: sha256(String(n)) })),
    ];
    const verified = await server.post("/api/v1/recovery/verify", {
      documents: rows,
      as_of: new Date().toISOString().slice(0, 10),
    });
    const streamed = await server.post(
      "/api/v1/recovery/verify",
      rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
      { "Content-Type": "application/x-ndjson" },
    );
    const ids = [
      verified.body.verification_id,
      JSON.parse(streamed.text.trimEnd().split("\n").at(-1) ?? "").verification_id,
    ];
    for (const [index, result] of [verified, streamed].entries()) {
      const response = await attested({ verification_id: ids[index], audience: "regulator" });
      const { verification, records } = response.statement;
      assert.isUndefined(records);
      assert.deepEqual(verification.totals, { documents: 7, match: 1, mismatch: 1, unrecorded: 5, pending: 0 });
      assert.equal(verification.rows_root, verified.body.rows_root);
      assert.equal(verification.as_of, index === 0 ? verified.body.as_of : null);
      await writeFile(join(directory, "response"), result.text);
      assert.deepEqual(await follow(response, "restored"), []);
      await writeFile(join(directory, "response"), result.text.replace("lost 3", "lost 4"));
      assert.lengthOf(await follow(response, "restored"), 1);
    }
  });

  it("have the formats JWS and JSON, and no other than requested", async () => {
    await record("forms", "forms");
    const body = { document_id: "forms", audience: "court" };
    const jws = await attest(body, { Accept: "application/jose" });
    assert.equal(jws.headers.get("content-type"), "application/jose");
    assert.match(jws.headers.get("content-disposition") ?? "", /^attachment; filename="?attestation-court-\d+\.jws"?$/);
    await compactVerify(jws.text, createLocalJWKSet(await keySet()));
    for (const accept of ["*/*", "application/json", "application/*", "text/html, application/json;q=0.5"]) {
      const { headers, body: verification } = await attest(body, { Accept: accept });
      assert.match(headers.get("content-type") ?? "", /^application\/json/, accept);
      assert.equal(headers.get("vary"), "Accept");
      assert.isString(verification.attestation);
    }
    const refused = await attest(body, { Accept: "text/html" });
    assert.equal(refused.status, 406);
    assert.match(refused.body.detail, /application\/pdf/);
  });

  it("stay valid after a rotation of the key, while the server runs", async () => {
    await record("rotated", "rotated");
    const body = { document_id: "rotated", audience: "court" };
    const before = await attested(body);
    await (await IssuerKeys.open(issuerKeysFile(server.directory))).rotate();
    const after = await attested(body);
    assert.notEqual(before.kid, after.kid);
    const response = await server.get("/.well-known/jwks.json");
    assert.equal(response.headers.get("cache-control"), "public, max-age=300");
    assert.match(response.headers.get("content-type") ?? "", /^application\/jwk-set\+json/);
    const set = response.body;
    assert.deepEqual(
      set.keys.map((key: ParsedJson) => key.kid),
      [after, before].map(({ kid }) => kid),
    );
    for (const key of set.keys) {
      assert.hasAllKeys(key, ["kty", "crv", "x", "y", "kid", "use", "alg"]);
      assert.deepInclude(key, { kty: "EC", crv: "P-256", use: "sig", alg: "ES256" });
      assert.equal(await calculateJwkThumbprint(key), key.kid);
    }
    for (const { attestation } of [before, after]) await compactVerify(attestation, createLocalJWKSet(set));
    for (const each of [before, after]) assert.deepEqual(await follow(each, "rotated", ASSUMED), []);
    assert.equal((await server.post("/.well-known/jwks.json", {})).status, 405);
  });

  it("are verified by OpenSSL from their parts", async () => {
    await record("openssl", "openssl");
    const { attestation, statement } = await attested({ document_id: "openssl", audience: "court" });
    const [header = "", payload = "", signature = ""] = attestation.split(".");
    const path = (name: string): string => join(directory, name);
    await writeFile(path("message"), `${header}.${payload}`);
    await writeFile(path("signature"), derSignature(Buffer.from(signature, "base64url")));
    const key = createPublicKey({ key: statement.issuer.public_key, format: "jwk" });
    await writeFile(path("key.pem"), key.export({ type: "spki", format: "pem" }));
    const check = () =>
      runTool(
        "openssl",
        "dgst",
        "-sha256",
        "-verify",
        path("key.pem"),
        "-signature",
        path("signature"),
        path("message"),
      );
    assert.include(await check(), "Verified OK");
    await writeFile(path("message"), `${header}.${payload.slice(0, -1)}`);
    assert.match(await check().catch(String), /Error: Command failed/);
    assert.equal(decodeProtectedHeader(attestation).kid, statement.issuer.key_id);
  });

  it("require an existing, confirmed record", async () => {
    const refused = async (body: object): Promise<string> => {
      const response = await attest({ ...body, audience: "court" });
      assert.equal(response.status, 404);
      assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
      return response.body.detail;
    };
    assert.match(await refused({ document_id: "never" }), /^there is no record of this document$/);
    assert.match(await refused({ hash: "0".repeat(64) }), /^there is no record of this hash$/);
    assert.match(await refused({ verification_id: crypto.randomUUID() }), /^there is no verification/);
  });

  it("require confirmed records, as bundles do", async () => {
    const slow = await startServer({ CHAIN_BLOCK_PERIOD: "2", PROOF_WAIT: "1" });
    try {
      // A block can come at any time: then it is another document's turn.
      await eventually(async () => {
        const documentId = crypto.randomUUID();
        const submitted = await slow.post("/api/v1/proof", { document_id: documentId, hash: sha256(documentId) });
        assert.equal(submitted.status, 202);
        const [response, bundle] = await Promise.all([
          slow.post("/api/v1/recovery/attest", { document_id: documentId, audience: "court" }),
          slow.get(`/api/v1/proof/${submitted.body.id}?format=bundle`),
        ]);
        assert.equal(response.status, 404);
        assert.match(response.body.detail, /^no record of this document is confirmed yet$/);
        assert.equal(bundle.status, 409);
        assert.equal(bundle.headers.get("retry-after"), "3");
        assert.match(bundle.body.detail, /not confirmed yet/);
      });
    } finally {
      await slow.stop();
    }
  });

  // Security, database: cannot get a signature for a statement that the chain contradicts
  it("are refused when the journal contradicts itself", async () => {
    const { record_hash } = await record("contradicted", "contradicted");
    const database = new DatabaseSync(join(server.directory, "sealbook.sqlite"));
    database.exec("PRAGMA busy_timeout = 5000");
    const hash = Buffer.from(record_hash, "hex");
    const right = database.prepare("select confirmation from anchors where hash = ?").get(hash);
    const update = database.prepare("update anchors set confirmation = ? where hash = ?");
    assert.equal(update.run(1, hash).changes, 1);
    for (const subject of [{ document_id: "contradicted" }, { hash: sha256("contradicted") }]) {
      const response = await attest({ ...subject, audience: "court" });
      assert.equal(response.status, 409, response.text);
      assert.match(
        response.body.detail,
        /^the server cannot sign a statement: the journal was changed: anchor \d+ is not confirmed by entry 1/,
      );
    }
    update.run(right?.["confirmation"] ?? null, hash);
    database.close();
    assert.equal((await attest({ document_id: "contradicted", audience: "court" })).status, 200);
  });

  describe("input", () => {
    const hash = "ab".repeat(32);
    const bad: readonly (readonly [body: unknown, ...paths: string[]])[] = [
      [{}, "audience"],
      [{ document_id: "x" }, "audience"],
      [{ audience: "court" }, "document_id", "hash", "verification_id"],
      [{ document_id: "x", hash, audience: "court" }, "document_id", "hash"],
      [{ hash, verification_id: "8ee36368-ecb3-496f-868e-7b7b35deffe0", audience: "court" }, "hash", "verification_id"],
      ...["", "COURT", "judge", 1, null, ["court"], {}].map(
        (audience) => [{ document_id: "x", audience }, "audience"] as const,
      ),
      ...["", 1, null, [], "x".repeat(513), "a\0b"].map(
        (document_id) => [{ document_id, audience: "court" }, "document_id"] as const,
      ),
      ...["", "12", `${hash}0`, 1, null, "g".repeat(64)].map(
        (value) => [{ hash: value, audience: "court" }, "hash"] as const,
      ),
      ...["", "12", 1, null, "newest"].map(
        (verification_id) => [{ verification_id, audience: "court" }, "verification_id"] as const,
      ),
    ];
    it("with a fault is rejected with its name", async () => {
      for (const [body, ...paths] of bad) {
        const response = await attest(body);
        assert.equal(response.status, 400, JSON.stringify(body));
        assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
        assert.sameMembers(
          response.body.errors.map(({ path }: { path: string }) => path),
          paths,
          JSON.stringify(body),
        );
      }
      for (const body of ["", "[]", "null", "{", '"x"', "1"]) assert.equal((await attest(body)).status, 400, body);
      assert.equal((await attest("x=1", { "Content-Type": "application/x-www-form-urlencoded" })).status, 415);
      assert.equal((await attest(`{"document_id":"${"x".repeat(70_000)}"}`)).status, 413);
      const get = await server.get("/api/v1/recovery/attest");
      assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
    });
  });

  describe("bundles over HTTP", () => {
    it("are sent as signed, as a file", async () => {
      const proof = await record("bundled/ü", "bundled");
      for (const id of [proof.id, encodeURIComponent("bundled/ü")]) {
        const response = await server.get(`/api/v1/proof/${id}?format=bundle`);
        assert.equal(response.status, 200, response.text);
        assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
        assert.match(
          response.headers.get("content-disposition") ?? "",
          new RegExp(`^attachment; filename="?${proof.id}\\.bundle\\.json"?$`),
        );
        assert.equal(response.text, canonicalJson(response.body));
        assert.equal(response.body.record.record_hash, proof.record_hash);
        assert.include(
          (await keySet()).keys.map((key: ParsedJson) => key.kid),
          response.body.signature.key_id,
        );
      }
    });

    it("are rejected in another format, and for unknown proofs", async () => {
      await record("formats", "formats");
      for (const query of ["format=", "format=xml", "format=Bundle", "format=bundle&format=bundle"]) {
        const response = await server.get(`/api/v1/proof/formats?${query}`);
        assert.equal(response.status, 400, query);
        assert.deepEqual(
          response.body.errors.map(({ path }: { path: string }) => path),
          ["format"],
        );
      }
      assert.equal((await server.get("/api/v1/proof/nothing?format=bundle")).status, 404);
    });
  });
});
