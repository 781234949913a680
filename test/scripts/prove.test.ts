import { assert } from "chai";
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfirmedProof } from "../../client/index.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { type Outcome, readJson, runScript, startScript, writeFiles } from "./proofs-support.ts";
import { withoutProgress } from "../support/without-progress.ts";

const PROOFS = "sealbook-proofs";

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

describe("prove script", () => {
  let server: TestServer;
  let directory: string;

  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));

  const prove = (...args: string[]): Promise<Outcome> => runScript("prove", directory, "--url", server.url, ...args);
  const proofOf = (id: string): Promise<ParsedJson> => readJson(join(directory, PROOFS, `${id}.proof.json`));
  const records = async (): Promise<number> => (await server.get("/api/v1/status")).body.journal.records;

  it("proves all files of a folder", async () => {
    const files = {
      "docs/a.txt": "a",
      "docs/empty": "",
      "docs/deep/er/still/b.txt": "b",
      "docs/größe ☃ 文.txt": "names in any script",
      "docs/large.bin": randomBytes(9_000_001),
    };
    await writeFiles(directory, files);
    const { code, out, err } = await prove("docs", "docs/a.txt", "--type", "contract", "--source", "tests");
    assert.deepEqual([code, withoutProgress(err)], [0, ""]);
    assert.match(out, /^5 of 5 files have proofs \(5 anchored, 0 reused, 0 failed, 0 not tried\)/);
    for (const [id, content] of Object.entries(files)) {
      const { format, ...response } = await proofOf(id);
      assert.equal(format, "sealbook-proof/1");
      assert.isTrue(ConfirmedProof.safeParse(response).success);
      assert.equal(response.proof.document_id, id);
      assert.equal(response.proof.hash, sha256(content));
      assert.deepInclude(response.proof.metadata, { type: "contract", source: "tests" });
      // The stored file equals the server's response.
      assert.deepEqual(response, (await server.get(`/api/v1/proof/${response.id}`)).body);
    }
    const summary = await readJson(join(directory, PROOFS, "summary.json"));
    const bytes = Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
    assert.deepEqual(summary.totals, { files: 5, bytes, anchored: 5, reused: 0, failed: 0, not_tried: 0 });
    assert.deepEqual(
      summary.documents.map((d: ParsedJson) => d.file),
      Object.keys(files).sort(),
    );
    const nested = summary.documents.find((d: ParsedJson) => d.file === "docs/deep/er/still/b.txt");
    const { proof } = await proofOf("docs/deep/er/still/b.txt");
    assert.deepEqual(nested, {
      file: "docs/deep/er/still/b.txt",
      document_id: "docs/deep/er/still/b.txt",
      bytes: 1,
      hash: proof.hash,
      record_hash: proof.record_hash,
      tx_hash: proof.tx_hash,
      block_number: proof.block_number,
      timestamp: proof.timestamp,
      proof_file: "docs/deep/er/still/b.txt.proof.json",
      bundle_file: "docs/deep/er/still/b.txt.bundle.json",
      reused: false,
    });
    assert.notInclude((await readdir(join(directory, PROOFS), { recursive: true })).join(), ".tmp");
  });

  it("stores a bundle beside each proof, also beside older ones, unless switched off", async () => {
    const bundle = (name: string): Promise<ParsedJson> => readJson(join(directory, PROOFS, name));
    await writeFiles(directory, { "d/a": "one" });
    const first = JSON.parse((await prove("d", "--json", "--no-bundle")).out);
    assert.isNull(first.documents[0].bundle_file);
    assert.isFalse(existsSync(join(directory, PROOFS, "d/a.bundle.json")));
    // What has none gets it later.
    const second = JSON.parse((await prove("d", "--json")).out);
    assert.deepEqual([second.totals.reused, second.documents[0].bundle_file], [1, "d/a.bundle.json"]);
    const { id } = await proofOf("d/a");
    const text = await readFile(join(directory, PROOFS, "d/a.bundle.json"), "utf8");
    assert.equal(text, `${(await server.get(`/api/v1/proof/${id}?format=bundle`)).text}\n`);
    await writeFiles(directory, { "d/a": "two" });
    assert.equal((await prove("d")).code, 0);
    assert.equal((await bundle("d/a.bundle.json")).record.hash, sha256("two"));
    assert.equal((await bundle("d/a.bundle.1.json")).record.hash, sha256("one"));
    assert.equal((await bundle("d/a.proof.1.json")).proof.hash, sha256("one"));
    // One that is damaged is fetched again.
    await writeFile(join(directory, PROOFS, "d/a.bundle.json"), "{");
    assert.equal((await prove("d")).code, 0);
    assert.equal((await bundle("d/a.bundle.json")).record.hash, sha256("two"));
    assert.equal((await runScript("verify", directory, "d", "--url", server.url, "--rpc", server.chainUrl)).code, 0);
  });

  it("reuses the proofs of unchanged files", async () => {
    await writeFiles(directory, { a: "same", b: "old" });
    await prove(".");
    const [before, known] = [await proofOf("a"), await records()];
    await writeFile(join(directory, "b"), "new");
    const { code, out } = await prove(".", "--json");
    const summary = JSON.parse(out);
    assert.equal(code, 0);
    assert.deepEqual(
      summary.documents.map((d: ParsedJson) => [d.file, d.reused]),
      [
        ["a", true],
        ["b", false],
      ],
    );
    assert.deepEqual(await proofOf("a"), before);
    assert.equal(await records(), known + 1);
  });

  it("keeps every older proof of a document", async () => {
    for (const content of ["one", "two", "three"]) {
      await writeFiles(directory, { "d/a": content });
      assert.equal((await prove("d")).code, 0);
    }
    const hashes = async (name: string): Promise<string> =>
      (await readJson(join(directory, PROOFS, "d", name))).proof.hash;
    assert.equal(await hashes("a.proof.json"), sha256("three"));
    assert.equal(await hashes("a.proof.1.json"), sha256("one"));
    assert.equal(await hashes("a.proof.2.json"), sha256("two"));
  });

  it("replaces a changed or damaged proof, and keeps its file", async () => {
    await writeFiles(directory, { a: "a", b: "b" });
    await prove("a", "b");
    const path = (id: string): string => join(directory, PROOFS, `${id}.proof.json`);
    const changed = await proofOf("a");
    changed.proof.metadata.timestamp += 1;
    await writeFile(path("a"), JSON.stringify(changed));
    await writeFile(path("b"), "{");
    const summary = JSON.parse((await prove("a", "b", "--json")).out);
    assert.deepEqual(summary.totals.anchored, 2);
    assert.deepEqual(await readJson(join(directory, PROOFS, "a.proof.1.json")), changed);
    assert.equal(await readFile(join(directory, PROOFS, "b.proof.1.json"), "utf8"), "{");
  });

  it("completes a pending proof as the same record", async () => {
    await writeFiles(directory, { a: "a" });
    await prove("a");
    const { proof } = await proofOf("a");
    const { id, document_id, hash, record_hash, metadata } = proof;
    const pending = { format: "sealbook-proof/1", status: "pending", id, document_id, hash, record_hash, metadata };
    await writeFile(join(directory, PROOFS, "a.proof.json"), JSON.stringify(pending));
    const known = await records();
    assert.equal((await prove("a")).code, 0);
    assert.deepEqual((await proofOf("a")).proof, proof);
    assert.equal(await records(), known);
    assert.isFalse(existsSync(join(directory, PROOFS, "a.proof.1.json")));
  });

  it("names files outside the working directory by their absolute path, after the prefix", async () => {
    const outside = await temporaryDirectory();
    try {
      await writeFiles(outside, { "x/y": "y" });
      const summary = JSON.parse(
        (await prove(join(outside, "x"), "--id-prefix", "archive:", "--out", "elsewhere", "--json")).out,
      );
      assert.equal(summary.documents[0].document_id, `archive:${outside}/x/y`);
      assert.isTrue(existsSync(join(directory, "elsewhere", summary.documents[0].proof_file)));
    } finally {
      await removeDirectory(outside);
    }
  });

  it("follows symbolic links without cycles", async () => {
    await writeFiles(directory, { "d/a": "a", "e/b": "b" });
    await symlink("..", join(directory, "d/up"));
    await symlink("../e", join(directory, "d/e"));
    const { out } = await prove("d", "--json");
    assert.deepEqual(
      JSON.parse(out).documents.map((d: ParsedJson) => d.file),
      ["d/a", "d/e/b", "d/up/e/b"],
    );
  });

  it("lists unreadable files and continues with the others", async () => {
    await writeFiles(directory, {
      "d/a": "a",
      "d/locked": "locked",
      [`d/${"n".repeat(200)}/${"n".repeat(200)}/${"n".repeat(200)}`]: "",
    });
    await symlink("nowhere", join(directory, "d/broken"));
    await chmod(join(directory, "d/locked"), 0);
    const { code, out, err } = await prove("d", "missing", "--json");
    assert.equal(code, 1);
    const summary = JSON.parse(out);
    const reasons = Object.fromEntries(summary.failures.map((f: ParsedJson) => [f.file.slice(0, 10), f.reason]));
    assert.equal(reasons["d/broken"], "does not exist");
    assert.equal(reasons["missing"], "does not exist");
    assert.match(reasons["d/nnnnnnnn"], /document_id: is longer than 512 characters/);
    // Nothing is locked for root.
    if (process.getuid?.() !== 0) assert.match(reasons["d/locked"], /permission denied/);
    assert.include(
      summary.documents.map((d: ParsedJson) => d.file),
      "d/a",
    );
    assert.match(err, /^d\/broken: does not exist$/m);
  });

  it("keeps its results when interrupted", async () => {
    await writeFiles(directory, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`d/${i}`, String(i)])));
    await mkdir(join(directory, PROOFS));
    const running = startScript("prove", directory, "d", "--url", server.url, "--concurrency", "1");
    while (!existsSync(join(directory, PROOFS, "d"))) await sleep(5);
    running.interrupt();
    const { code, out } = await running.outcome;
    assert.equal(code, 130);
    assert.match(out, /^interrupted: /);
    const { interrupted, totals } = await readJson(join(directory, PROOFS, "summary.json"));
    assert.isTrue(interrupted);
    assert.isAbove(totals.not_tried, 0);
    assert.equal(totals.failed, 0);
    const again = JSON.parse((await prove("d", "--json")).out);
    assert.deepInclude(again.totals, { files: 300, reused: totals.anchored, failed: 0, not_tried: 0 });
  });

  it("reports a missing server, and another service in its place", async () => {
    await writeFiles(directory, { a: "a" });
    const [none, other] = await Promise.all([
      runScript("prove", directory, "a", "--url", "http://127.0.0.1:9"),
      runScript("prove", directory, "a", "--url", server.chainUrl),
    ]);
    assert.deepEqual([none.code, none.out], [1, ""]);
    assert.match(none.err, /^prove: http:\/\/127\.0\.0\.1:9\/ cannot be reached: /);
    assert.deepEqual([other.code, other.out], [1, ""]);
    assert.match(other.err, /is not a Sealbook server/);
  });

  it("exits with 2 for wrong usage", async () => {
    for (const args of [[], ["a", "--concurrency", "0"], ["a", "--url", "ftp://x"], ["a", "--fast"]]) {
      const { code, out, err } = await runScript("prove", directory, ...args);
      assert.deepEqual([code, out], [2, ""], args.join(" "));
      assert.match(err, /^error: /);
    }
  });
});
