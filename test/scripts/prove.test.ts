import { assert } from "chai";
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { type Outcome, readJson, runScript, runScriptOn, startScript, writeFiles } from "./proofs-support.ts";
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
  const pathOf = (id: string): string => join(directory, PROOFS, `${id}.bundle.json`);
  const recordOf = async (id: string): Promise<ParsedJson> => (await readJson(pathOf(id))).record;
  const records = async (): Promise<number> => (await server.get("/api/v1/status")).body.journal.records;

  it("proves hashes that were made elsewhere, without the files", async () => {
    const sums = ["a", "b/c"].map((name) => `${sha256(name)}  ${name}\n`).join("");
    const { code, out, err } = await runScriptOn(sums, "prove", directory, "--url", server.url, "--sums", "-");
    assert.deepEqual([code, withoutProgress(err)], [0, ""]);
    assert.match(out, /^2 of 2 files have proofs \(2 anchored, /);
    assert.deepInclude(await recordOf("b/c"), { document_id: "b/c", hash: sha256("b/c") });
    const summary = await readJson(join(directory, PROOFS, "summary.json"));
    assert.deepEqual([summary.totals.bytes, summary.documents[0].bytes], [0, undefined]);
    const again = await runScriptOn(sums, "prove", directory, "--url", server.url, "--sums", "-");
    assert.match(again.out, /\(0 anchored, 2 reused, /);
    assert.equal((await prove()).code, 2);
  });

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
      const record = await recordOf(id);
      assert.equal(record.document_id, id);
      assert.equal(record.hash, sha256(content));
      assert.deepInclude(record.metadata, { type: "contract", source: "tests" });
      // The stored file is the server's response.
      const { text } = await server.get(`/api/v1/proof/${record.record_hash}?format=bundle`);
      assert.equal(await readFile(pathOf(id), "utf8"), `${text}\n`);
    }
    const summary = await readJson(join(directory, PROOFS, "summary.json"));
    const bytes = Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
    assert.deepEqual(summary.totals, { files: 5, bytes, anchored: 5, reused: 0, failed: 0, not_tried: 0 });
    assert.deepEqual(
      summary.documents.map((d: ParsedJson) => d.file),
      Object.keys(files).sort(),
    );
    const nested = summary.documents.find((d: ParsedJson) => d.file === "docs/deep/er/still/b.txt");
    const { hash, record_hash } = await recordOf("docs/deep/er/still/b.txt");
    assert.deepEqual(nested, {
      file: "docs/deep/er/still/b.txt",
      document_id: "docs/deep/er/still/b.txt",
      bytes: 1,
      hash,
      record_hash,
      bundle_file: "docs/deep/er/still/b.txt.bundle.json",
      reused: false,
    });
    assert.notInclude((await readdir(join(directory, PROOFS), { recursive: true })).join(), ".tmp");
  });

  it("reuses the proofs of unchanged files", async () => {
    await writeFiles(directory, { a: "same", b: "old" });
    await prove(".");
    const [before, known] = [await recordOf("a"), await records()];
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
    assert.deepEqual(await recordOf("a"), before);
    assert.equal(await records(), known + 1);
  });

  it("keeps every older bundle of a document", async () => {
    for (const content of ["one", "two", "three"]) {
      await writeFiles(directory, { "d/a": content });
      assert.equal((await prove("d")).code, 0);
    }
    const hashOf = async (name: string): Promise<string> =>
      (await readJson(join(directory, PROOFS, "d", name))).record.hash;
    assert.equal(await hashOf("a.bundle.json"), sha256("three"));
    assert.equal(await hashOf("a.bundle.1.json"), sha256("one"));
    assert.equal(await hashOf("a.bundle.2.json"), sha256("two"));
  });

  it("fetches the bundle of an existing record, when it is missing, changed or damaged", async () => {
    await writeFiles(directory, { a: "a", b: "b", c: "c" });
    await prove("a", "b", "c");
    const [before, known] = [await readFile(pathOf("a"), "utf8"), await records()];
    const changed = JSON.parse(before);
    changed.record.metadata.timestamp += 1;
    await writeFile(pathOf("a"), JSON.stringify(changed));
    await writeFile(pathOf("b"), "{");
    await rm(pathOf("c"));
    const { totals } = JSON.parse((await prove("a", "b", "c", "--json")).out);
    assert.deepInclude(totals, { anchored: 0, reused: 3 });
    assert.equal(await records(), known);
    assert.equal(await readFile(pathOf("a"), "utf8"), before);
    assert.deepEqual(await readJson(join(directory, PROOFS, "a.bundle.1.json")), changed);
    assert.equal(await readFile(join(directory, PROOFS, "b.bundle.1.json"), "utf8"), "{");
    assert.equal((await runScript("verify", directory, "a", "b", "c", "--rpc", server.chainUrl)).code, 0);
  });

  it("waits for a record that was accepted before, instead of making another", async () => {
    await writeFiles(directory, { a: "a" });
    const document = { document_id: "a", hash: sha256("a"), metadata: { timestamp: 7, source: "elsewhere" } };
    await server.post("/api/v1/proof", document);
    const known = await records();
    assert.equal((await prove("a")).code, 0);
    assert.deepInclude(await recordOf("a"), document);
    assert.equal(await records(), known);
    // Another type is another record.
    await rm(pathOf("a"));
    assert.equal((await prove("a", "--type", "contract")).code, 0);
    assert.equal((await recordOf("a")).metadata.type, "contract");
    assert.equal(await records(), known + 1);
  });

  it("names files outside the working directory by their absolute path, after the prefix", async () => {
    const outside = await temporaryDirectory();
    try {
      await writeFiles(outside, { "x/y": "y" });
      const summary = JSON.parse(
        (await prove(join(outside, "x"), "--id-prefix", "archive:", "--out", "elsewhere", "--json")).out,
      );
      assert.equal(summary.documents[0].document_id, `archive:${outside}/x/y`);
      assert.isTrue(existsSync(join(directory, "elsewhere", summary.documents[0].bundle_file)));
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

  it("fails without files to prove", async () => {
    await mkdir(join(directory, "d"));
    const { code, out, err } = await prove("d");
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^prove: d: no files found$/m);
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

  it("reports a folder that cannot be written, before it proves anything", async () => {
    await writeFiles(directory, { "never-proved": "", file: "" });
    const { code, out, err } = await prove("never-proved", "--out", "file");
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, /^prove: --out .*\/file cannot be written: EEXIST/m);
    assert.equal((await server.get("/api/v1/proof/never-proved")).status, 404);
  });

  it("exits with 2 for wrong usage", async () => {
    for (const args of [[], ["a", "--concurrency", "0"], ["a", "--url", "ftp://x"], ["a", "--fast"]]) {
      const { code, out, err } = await runScript("prove", directory, ...args);
      assert.deepEqual([code, out], [2, ""], args.join(" "));
      assert.match(err, args.length === 0 ? /^prove: give either files or --sums$/m : /^error: /);
    }
  });
});
