import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { extractText, getDocumentProxy, getMeta } from "unpdf";
import { attestationPdf } from "../../server/attestation/pdf/attestation-pdf.ts";
import { canonicalJson } from "../../server/kit/json.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");
const NAME = "Archiv der Häfen";

describe("attestations as PDF", function () {
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

  const path = (name: string): string => join(directory, name);
  const record = async (documentId: string, metadata: object): Promise<ParsedJson> => {
    const { body } = await server.post("/api/v1/proof", {
      document_id: documentId,
      hash: sha256(documentId),
      metadata,
    });
    assert.equal(body.status, "confirmed");
    return body.proof;
  };
  /** The PDF as it is served, and the statement that is in it. */
  const pdfOf = async (
    body: object,
  ): Promise<{
    bytes: Uint8Array;
    text: string;
    jws: string;
    statement: ParsedJson;
    attachments: { file: string; content: string }[];
  }> => {
    const response = await fetch(`${server.url}/api/v1/recovery/attest`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/pdf" },
      body: JSON.stringify(body),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(response.status, 200, Buffer.from(bytes).toString());
    assert.equal(response.headers.get("content-type"), "application/pdf");
    assert.match(
      response.headers.get("content-disposition") ?? "",
      /^attachment; filename="?attestation-\w+-\d+\.pdf"?$/,
    );
    for (const name of await readdir(directory)) await rm(path(name));
    const document = await getDocumentProxy(bytes.slice());
    const attachments = await Promise.all(
      [...((await document.getAttachments()) ?? [])].map(async ([id, { filename: file }]) => ({
        file,
        content: Buffer.from((await document.getAttachmentContent(id)) ?? []).toString(),
      })),
    );
    for (const { file, content } of attachments) await writeFile(path(file), content);
    const files = attachments.map(({ file }) => file);
    const content = (name: string): string => attachments.find(({ file }) => file === name)?.content ?? "";
    const text = content("statement.json");
    const statement = JSON.parse(text);
    const named = statement.attachments.map(({ file }: ParsedJson) => file);
    assert.sameMembers(files, ["attestation.jws", "statement.json", ...named]);
    return {
      bytes,
      text,
      jws: content("attestation.jws"),
      statement,
      attachments: named.map((file: string) => ({ file, content: content(file) })),
    };
  };
  /** The text of its pages, in which lines break anywhere. */
  const shownIn = async (bytes: Uint8Array): Promise<{ content: string; count: number }> => {
    const { totalPages: count, text } = await extractText(bytes.slice(), { mergePages: true });
    return { content: text.replace(/\s+/g, " "), count };
  };

  it("contain the statement with page numbers, and embed it with its signature", async () => {
    const proof = await record("Größe „1“ Договор № 7 你好\n\u00ad\\u{41}", {
      type: "Vertrag",
      timestamp: 1_700_000_000,
      source: "orders",
      ключ: "значение",
      ["n".repeat(60)]: "a value",
    });
    const { bytes, text, jws, statement, attachments } = await pdfOf({
      document_id: proof.document_id,
      audience: "court",
    });
    assert.equal(Buffer.from(jws.split(".")[1] ?? "", "base64url").toString(), text);
    assert.equal(canonicalJson(statement), text);
    const { content, count } = await shownIn(bytes);
    const facts = [
      "Attestation of a document",
      "For a court",
      NAME,
      "Größe „1“ Договор № 7 \\u{4f60}\\u{597d}\\u{a}\\u{ad}\\u{5c}u{41}",
      proof.hash,
      proof.record_hash,
      proof.tx_hash,
      proof.block_hash,
      proof.contract,
      "1700000000 (2023-11-14 22:13:20 UTC)",
      "Vertrag",
      "orders",
      "ключ значение",
      `${"n".repeat(60)} a value`,
      "Limitations",
      "Checks before signing",
      "Verification without the issuer",
      statement.issuer.key_id,
      statement.issuer.public_key.x,
      statement.issuer.public_key.y,
      "proof-1.bundle.json",
      statement.issuer.jwks_url,
      sha256(jws),
    ];
    for (const fact of facts) assert.include(content, fact);
    for (const { title } of statement.steps) assert.include(content, title);
    for (let page = 1; page <= count; page += 1) assert.include(content, `${page} of ${count}`);
    const { info } = await getMeta(bytes.slice(), { parseDates: true });
    assert.deepInclude(info, { Title: "Attestation of a document", Author: NAME });
    assert.equal(info["CreationDate"].getTime() / 1000, statement.issued_at);
    // The same statement makes the same bytes.
    assert.equal(Buffer.compare(await attestationPdf(statement, text, jws, attachments), bytes), 0);
  });

  it("list a thousand records on as many pages as needed", async function () {
    const documents = Array.from({ length: 1000 }, (_, n) => ({
      document_id: `dossier ${n} ${"長".repeat(n % 40)}`,
      hash: sha256("copied"),
      metadata: { timestamp: n },
    }));
    assert.equal((await server.post("/api/v1/proof/batch", { documents })).status, 201);
    await record("copied", { timestamp: 1 });
    const { bytes, statement, attachments } = await pdfOf({ hash: sha256("copied"), audience: "regulator" });
    assert.lengthOf(statement.records, 1000);
    assert.equal(statement.record_count, 1001);
    const { content, count } = await shownIn(bytes);
    assert.isAbove(count, 30);
    assert.include(content, `${count} of ${count}`);
    assert.include(content, "The newest 1000 of 1001 records");
    for (const { record_hash } of statement.records) assert.include(content, record_hash);
    // One of the newest records has the earliest anchor. The statement has the number of records without a bundle.
    const proofs = statement.records.flatMap(({ bundle }: ParsedJson, index: number) =>
      bundle === null ? [] : [index],
    );
    assert.deepEqual(proofs, [...Array(16).keys()]);
    assert.lengthOf(attachments, 17);
    assert.include(content, "portable proofs of 16 of the 1001 records are attached");
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["verify.mjs", "attestation.jws", "--trust-key", statement.issuer.key_id],
      { cwd: directory },
    );
    assert.include(stdout, "16 of its 1000 listed records have a portable proof.");
    assert.include(stdout, "the recorded hashes of 984 more records");
  });

  it("state a verification", async () => {
    const { body } = await server.post("/api/v1/recovery/verify", {
      documents: [{ document_id: "lost", hash: sha256("lost") }],
    });
    const { bytes, statement } = await pdfOf({ verification_id: body.verification_id, audience: "regulator" });
    const { content } = await shownIn(bytes);
    for (const fact of [
      "Attestation of a verification",
      body.verification_id,
      body.rows_root,
      "For a supervising authority",
      "Unrecorded 1",
    ])
      assert.include(content, fact);
    assert.equal(statement.verification.rows_root, body.rows_root);
  });
});
