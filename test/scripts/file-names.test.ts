import { assert } from "chai";
import { existsSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFiles, hashFile } from "../../scripts/proofs/files.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { thrownBy } from "../support/thrown.ts";
import { type Outcome, readJson, runScript, writeFiles } from "./proofs-support.ts";

const NFC = "caf\u00e9.txt";
const NFD = "cafe\u0301.txt";
const PROOFS = "sealbook-proofs";

/** Bytes of a path below a folder, with a name that is not UTF-8. */
const latin = (directory: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name, "latin1")]);

describe("names of files in prove, verify and recover", () => {
  let server: TestServer;
  let directory: string;

  before(async () => void (server = await startServer()));
  after(() => server.stop());
  beforeEach(async () => void (directory = await temporaryDirectory()));
  afterEach(() => removeDirectory(directory));

  const prove = (...args: string[]): Promise<Outcome> => runScript("prove", directory, "--url", server.url, ...args);
  const verify = (...args: string[]): Promise<Outcome> =>
    runScript("verify", directory, "--rpc", server.chainUrl, ...args);
  const recover = (...args: string[]): Promise<Outcome> =>
    runScript("recover", directory, "--url", server.url, ...args);
  const records = async (): Promise<number> => (await server.get("/api/v1/status")).body.journal.records;

  it("are reported when they are not UTF-8, with their bytes", async () => {
    await writeFiles(directory, { "d/a.txt": "not utf8" });
    await writeFile(latin(join(directory, "d"), "f\xf6o.txt"), "b");
    const proved = await prove("d");
    assert.equal(proved.code, 1);
    assert.match(proved.out, /^1 of 2 files have proofs \(1 anchored, 0 reused, 1 failed, 0 not tried\)/);
    assert.include(proved.err, "d/f\\xf6o.txt: has a name that is not UTF-8 text; rename it\n");
    const verified = await verify("d");
    assert.equal(verified.code, 3);
    assert.include(verified.out, "undetermined: d/f\\xf6o.txt: has a name that is not UTF-8 text");
    const recovered = await recover(".");
    assert.equal(recovered.code, 1);
    const { not_checked: notChecked } = await readJson(join(directory, "sealbook-recovery/recovery-report.json"));
    assert.deepEqual(
      notChecked.map(({ file }: ParsedJson) => file),
      ["d/f\\xf6o.txt"],
    );
  });

  it("are the same in every Unicode form, for the file, its bundle and its record", async () => {
    await writeFiles(directory, { [`d/${NFC}`]: "coffee" });
    assert.equal((await prove("d")).code, 0);
    await rename(join(directory, "d", NFC), join(directory, "d", NFD));
    assert.equal((await verify("d")).code, 0, "the file has another form");
    await rename(
      join(directory, PROOFS, "d", `${NFC}.bundle.json`),
      join(directory, PROOFS, "d", `${NFD}.bundle.json`),
    );
    const { code, out } = await verify("d");
    assert.equal(code, 0, out);
    await prove("d");
    assert.isFalse(existsSync(join(directory, PROOFS, "d", `${NFC}.bundle.json`)), "the bundle was reused");
    const manifest = join(directory, "m.csv");
    await writeFile(manifest, `document_id,path\nd/${NFC},${NFC}\n`);
    const listed = await recover("d", "--id-from", "m.csv");
    assert.match(listed.out, /^1 of 1 files match/);
  });

  it("are reported when they differ only in their Unicode form", async () => {
    await writeFiles(directory, { [`d/${NFC}`]: "one", [`d/${NFD}`]: "two", "d/z": "forms" });
    const known = await records();
    const { code, err } = await prove("d");
    assert.equal(code, 1);
    assert.equal(await records(), known + 1, "only the other file was sent");
    assert.include(
      err,
      "d/caf\\xc3\\xa9.txt: has a name that differs from that of another file only in its Unicode form",
    );
    assert.include(err, "d/cafe\\xcc\\x81.txt: has a name that differs");
  });

  it("that leave no room for the name of a bundle are reported before anything is sent", async () => {
    const [longest, longer] = ["x".repeat(239), "y".repeat(240)];
    await writeFiles(directory, { [longest]: "longest", [longer]: "longer" });
    const known = await records();
    const { code, err } = await prove(longest, longer);
    assert.equal(code, 1);
    assert.include(err, `${longer}: has a name of 240 bytes, and the name of its bundle has room for 239; rename it\n`);
    assert.equal(await records(), known + 1);
    assert.equal((await verify(longest)).code, 0);
    await writeFiles(directory, { [longest]: "another" });
    assert.equal((await prove(longest)).code, 0, "the earlier bundle has a longer name");
  });

  it("of two files never lead to one bundle", async () => {
    const outside = await temporaryDirectory();
    try {
      await writeFiles(outside, { a: "outside" });
      await writeFiles(directory, { [`%outside${outside}/a`]: "inside", [`%%outside${outside}/a`]: "also inside" });
      const { code, out } = await prove(join(outside, "a"), "%outside", "%%outside", "--json");
      assert.equal(code, 0);
      const { documents } = JSON.parse(out);
      assert.lengthOf(new Set(documents.map((each: ParsedJson) => each.bundle_file)), 3);
      assert.equal((await verify(join(outside, "a"), "%outside", "%%outside")).code, 0);
    } finally {
      await removeDirectory(outside);
    }
  });

  it("that need a folder where there is a bundle are reported before anything is sent", async () => {
    await writeFiles(directory, { a: "first", "a.bundle.json/b": "second" });
    assert.equal((await prove("a")).code, 0);
    const known = await records();
    assert.equal((await prove("a.bundle.json")).code, 1);
    assert.equal(await records(), known);
  });

  it("are whole: a bundle of subcontract.pdf is none of act.pdf", async () => {
    await writeFiles(directory, { "subcontract.pdf": "contract", "sub/act.pdf": "act" });
    assert.equal((await prove("subcontract.pdf", "sub")).code, 0);
    const bundle = (id: string): string => join(directory, PROOFS, `${id}.bundle.json`);
    await writeFiles(directory, { "act.pdf": "contract" });
    await rename(bundle("subcontract.pdf"), bundle("act.pdf"));
    const { code, out } = await verify("act.pdf");
    assert.equal(code, 1);
    assert.include(out, 'not verified: act.pdf: the bundle is of a different document, "subcontract.pdf"');
    // A folder before the path is the same file, seen from a folder above.
    await rm(bundle("act.pdf"));
    await rename(bundle("sub/act.pdf"), bundle("act.pdf"));
    await writeFiles(directory, { "act.pdf": "act" });
    assert.equal((await verify("act.pdf")).code, 0);
  });

  it("have the prefix of prove, which verify is given as well", async () => {
    await writeFiles(directory, { "p.txt": "prefix" });
    assert.equal((await prove("p.txt", "--id-prefix", "archive:")).code, 0);
    assert.equal((await verify("p.txt", "--id-prefix", "archive:")).code, 0);
    assert.include((await verify("p.txt")).out, 'different document, "archive:p.txt"');
  });

  it("in a manifest are UTF-8; another encoding is refused", async () => {
    await writeFiles(directory, { "d/a": "a" });
    const text = `document_id,path\nf\u00f6o,a\n`;
    for (const [content, reason] of [
      [Buffer.from(text, "latin1"), "the file is not UTF-8 text"],
      [Buffer.from(text, "utf16le"), "the file is UTF-16 text: convert it to UTF-8"],
    ] as const) {
      await writeFile(join(directory, "m.csv"), content);
      const { code, err } = await recover("d", "--id-from", "m.csv");
      assert.deepEqual([code, err], [2, `recover: ${join(directory, "m.csv")}: ${reason}\n`]);
    }
  });

  it("are read as bytes in folders, too", async () => {
    await writeFiles(directory, { "d/a": "a" });
    await rename(join(directory, "d"), latin(directory, "\xff\x01"));
    const { files, unreadable } = await findFiles(["."], directory);
    assert.deepEqual([files, unreadable.map(({ id }) => id)], [[], ["\\xff\\x01"]]);
  });
});

describe("the hash of a file", () => {
  it("is none of a file that changes while it is read", async () => {
    const directory = await temporaryDirectory();
    try {
      const path = join(directory, "log");
      const handle = await open(path, "w");
      let isHashed = false;
      const hashed = thrownBy(hashFile(path)).finally(() => (isHashed = true));
      while (!isHashed) await handle.write("one more line\n");
      assert.match((await hashed).message, /^changed while it was read/);
      const { size } = await handle.stat();
      await handle.close();
      assert.equal((await hashFile(path)).bytes, size);
    } finally {
      await removeDirectory(directory);
    }
  });
});
