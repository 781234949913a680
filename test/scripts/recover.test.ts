import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { LogRoot } from "../../server/recovery/running-verification.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { eventually } from "../support/eventually.ts";
import { type Outcome, readJson, runScript, startScript, writeFiles } from "./proofs-support.ts";

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

describe("recover script", () => {
  let server: TestServer;
  let directory: string;

  beforeEach(async () => {
    server = await startServer();
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  const prove = (...args: string[]): Promise<Outcome> => runScript("prove", directory, "--url", server.url, ...args);
  const recover = (...args: string[]): Promise<Outcome> =>
    runScript("recover", directory, "--url", server.url, ...args);
  const report = () => readJson(join(directory, "sealbook-recovery/recovery-report.json"));
  const FILES = { "docs/a.txt": "a", "docs/deep/größe ☃.txt": "b", "docs/empty": "" };

  it("finds documents of prove in any folder, with or without their proofs", async () => {
    await writeFiles(directory, FILES);
    assert.equal((await prove("docs")).code, 0);
    await mkdir(join(directory, "elsewhere"));
    await rename(join(directory, "docs"), join(directory, "elsewhere/docs"));
    await rename(join(directory, "sealbook-proofs"), join(directory, "elsewhere/sealbook-proofs"));
    for (const args of [
      ["elsewhere"],
      ["elsewhere/docs", "--id-prefix", "docs/"],
      ["elsewhere", "--out", "elsewhere/reports"],
      ["elsewhere", "--out", "elsewhere/reports"],
    ]) {
      const { code, out, err } = await recover(...args);
      assert.equal(code, 0, out + err);
      assert.match(
        out,
        /^3 of 3 files match \(0 mismatch, 0 unrecorded, 0 not checked\), 0 recorded documents are missing, 2 bytes/,
      );
    }
    assert.equal((await recover("elsewhere/docs")).code, 1, "without the prefix they are other documents");
  });

  it("with a prefix, misses only documents that have it", async () => {
    await writeFiles(directory, { ...FILES, "other/z.txt": "z" });
    assert.equal((await prove("docs", "other")).code, 0);
    assert.match((await recover("docs", "--id-prefix", "docs/")).out, /, 0 recorded documents are missing/);
    await rm(join(directory, "docs/a.txt"));
    const { code, out } = await recover("docs", "--id-prefix", "docs/");
    assert.equal(code, 1);
    assert.match(out, /, 1 recorded documents? (?:is|are) missing/);
  });

  it("writes a report with verifiable rows and root", async () => {
    await writeFiles(directory, FILES);
    await prove("docs");
    await writeFiles(directory, {
      "docs/a.txt": "changed",
      "docs/<img src=x onerror=alert(1)>.txt": "new",
      "docs/\u202Etxt.exe": "hidden",
    });
    await rename(join(directory, "docs/empty"), join(directory, "docs/renamed"));
    const { code, out, err } = await recover(".", "--json");
    assert.equal(code, 1, err);
    const written = await report();
    assert.deepEqual(JSON.parse(out), written);
    assert.equal(written.format, "sealbook-recovery/1");
    assert.deepEqual(written.totals, {
      files: 5,
      bytes: 17,
      match: 1,
      mismatch: 1,
      unrecorded: 3,
      pending: 0,
      missing: 1,
      not_checked: 0,
      unlisted: 0,
    });
    const { file, document_id, hash, recorded_hash } = written.mismatches[0];
    assert.deepEqual(
      { file, document_id, hash, recorded_hash },
      { file: "docs/a.txt", document_id: "docs/a.txt", hash: sha256("changed"), recorded_hash: sha256("a") },
    );
    assert.deepEqual(written.missing[0].found_as, ["docs/renamed"]);
    const rows = (await readFile(join(directory, "sealbook-recovery", written.rows_file), "utf8"))
      .trimEnd()
      .split("\n");
    assert.lengthOf(rows, 5);
    const root = new LogRoot();
    for (const row of rows) root.add(row);
    assert.equal(Buffer.from(root.value).toString("hex"), written.rows_root);
    const html = await readFile(join(directory, "sealbook-recovery/recovery-report.html"), "utf8");
    assert.include(html, "&lt;img src=x onerror=alert(1)&gt;");
    assert.notInclude(html, "<img");
    assert.notInclude(html, "\u202E");
    for (const text of [
      written.verification_id,
      written.rows_root,
      "docs/a.txt",
      "docs/renamed",
      "4 of 5 files do not match",
    ])
      assert.include(html, text);
    assert.match(html, /default-src &#39;none&#39;|default-src 'none'/);
  });

  it("reads the documents' names from a manifest, and reports differences", async () => {
    await writeFiles(directory, { "tree/a.bin": "a", 'tree/sub/b, "c".bin': "b", "tree/unlisted.bin": "u" });
    const documents = [
      ["invoice 1", "a"],
      ["invoice, 2", "b"],
      ["invoice 3", "c"],
    ].map(([document_id, content = ""]) => ({ document_id, hash: sha256(content) }));
    assert.equal((await server.post("/api/v1/proof/batch", { documents })).status, 201);
    await writeFiles(directory, {
      "tree/manifest.csv":
        "\uFEFFpath,owner,document_id\r\na.bin,x,invoice 1\r\n" +
        '"sub/b, ""c"".bin",,"invoice, 2"\r\ngone.bin,x,invoice 3\r\n',
    });
    const { code, out, err } = await recover("tree", "--id-from", "tree/manifest.csv");
    assert.equal(code, 1, err);
    assert.match(
      out,
      /^2 of 3 files match \(0 mismatch, 0 unrecorded, 1 not checked, 1 not in the manifest\), 1 recorded document is missing/,
    );
    const { not_checked, unlisted, missing } = await report();
    assert.deepEqual(not_checked, [{ file: "gone.bin", document_id: "invoice 3", reason: "does not exist" }]);
    assert.deepEqual(unlisted, ["unlisted.bin"]);
    assert.equal(missing[0].document_id, "invoice 3");
    await writeFiles(directory, { "tree/gone.bin": "c" });
    await rm(join(directory, "tree/unlisted.bin"));
    assert.equal((await recover("tree", "--id-from", "tree/manifest.csv")).code, 0);
  });

  it("compares with the state at a given time", async () => {
    await writeFiles(directory, { "d/a": "1" });
    await prove("d");
    const { proof } = (await server.get("/api/v1/proof/d%2Fa")).body;
    assert.equal((await recover(".", "--as-of", String(proof.timestamp))).code, 0);
    assert.equal((await recover(".", "--as-of", new Date(proof.timestamp * 1000).toISOString())).code, 0);
    assert.equal((await recover(".", "--as-of", String(proof.timestamp - 1))).code, 1);
    assert.match((await report()).unrecorded[0].reason, /not on chain at that time/);
    const { code, err } = await recover(".", "--as-of", "yesterday");
    assert.equal(code, 2);
    assert.match(err, /as_of/);
  });

  it("names unreadable files", async () => {
    await writeFiles(directory, { "d/a": "1" });
    await prove("d");
    await symlink("loop", join(directory, "d/loop"));
    assert.equal((await recover(".")).code, 1);
    assert.deepEqual((await report()).not_checked, [{ file: "d/loop", reason: "is a circular symbolic link" }]);
  });

  it("rejects wrong usage", async () => {
    await writeFiles(directory, {
      "d/a": "1",
      "m.csv": "document_id,path\nx,d/a\nx,d/b\n",
      "n.csv": "id,path\nx,d/a\n",
      "q.csv": 'document_id,path\n"x,d/a\n',
      "w.csv": "document_id,path\nx\n",
      "e.csv": "document_id,path\n,d/a\n",
    });
    for (const [args, reason] of [
      [[], /missing required argument/],
      [["none"], /does not exist/],
      [["d/a"], /is not a folder/],
      [["d", "--concurrency", "0"], /must be a number/],
      [["d", "--url", "x"], /not an http/],
      [["d", "--id-from", "none.csv"], /does not exist/],
      [["d", "--id-from", "m.csv"], /line 3: duplicate document, first named in line 2/],
      [["d", "--id-from", "n.csv"], /line 1: does not name the columns/],
      [["d", "--id-from", "q.csv"], /line 2: misplaced or unclosed quote/],
      [["d", "--id-from", "w.csv"], /line 2: has 1 fields, not 2/],
      [["d", "--id-from", "e.csv"], /line 2: the document_id is empty/],
      [["d", "--id-from", "m.csv", "--id-prefix", "x"], /--id-prefix/],
    ] as const) {
      const { code, err } = await recover(...args);
      assert.equal(code, 2, `${args.join(" ")}: ${err}`);
      assert.match(err, reason);
    }
    await mkdir(join(directory, "nothing"));
    const { code, err } = await recover("nothing");
    assert.deepEqual([code, err.includes("contains no files")], [1, true]);
    assert.equal((await runScript("recover", directory, "d", "--url", "http://127.0.0.1:1")).code, 1);
  });

  it("ends without a report when interrupted", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`d/${n}`, Buffer.alloc(20_000_000, n)]));
    await writeFiles(directory, many);
    const running = startScript("recover", directory, "d", "--url", server.url, "--concurrency", "1");
    await eventually(async () =>
      assert.isTrue((await running.opened()).some((path) => path.startsWith(join(directory, "d")))),
    );
    running.interrupt();
    const { code, out, err } = await running.outcome;
    assert.equal(code, 130, err);
    assert.equal(out, "");
    assert.isTrue(
      await readFile(join(directory, "sealbook-recovery/recovery-report.json")).then(
        () => false,
        () => true,
      ),
    );
  });
});
