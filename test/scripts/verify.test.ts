import { assert } from "chai";
import { readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { type Outcome, readJson, runScript, writeFiles } from "./proofs-support.ts";
import { withoutProgress } from "../support/without-progress.ts";

const NOWHERE = "http://127.0.0.1:9";
const FILES = { "d/a.txt": "a", "d/b/c.txt": "c", "d/b/empty": "", "d/ünï ☃.bin": Buffer.alloc(3_000_000, 7) };

describe("verify script", () => {
  let server: TestServer;
  let directory: string;

  before(async () => {
    server = await startServer();
    directory = await temporaryDirectory();
    await writeFiles(directory, FILES);
    const { code, err } = await runScript(
      "prove",
      directory,
      "d",
      "--url",
      server.url,
      "--type",
      "test",
      "--source",
      "tests",
    );
    assert.equal(code, 0, err);
  });
  after(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  const verify = (...args: string[]): Promise<Outcome> =>
    runScript("verify", directory, "--url", server.url, "--rpc", server.chainUrl, ...args);
  const verdicts = async (...args: string[]): Promise<ParsedJson> => {
    const { code, out } = await verify("--json", ...args);
    return { code, ...JSON.parse(out) };
  };
  const pathOf = (id: string): string => join(directory, "sealbook-proofs", `${id}.proof.json`);

  /** Does something to a file for as long as a check takes. */
  async function withContent(path: string, content: string | Uint8Array, check: () => Promise<void>): Promise<void> {
    const kept = await readFile(path);
    await writeFile(path, content);
    try {
      await check();
    } finally {
      await writeFile(path, kept);
    }
  }

  it("verifies unchanged files without the server", async () => {
    const { code, out, err } = await runScript("verify", directory, "d", "--rpc", server.chainUrl, "--url", NOWHERE);
    assert.deepEqual([code, withoutProgress(err)], [0, ""]);
    assert.match(
      out,
      /^4 of 4 files verified \(0 changed, 0 no proof, 0 chain disagrees, 0 not checked\), 3000002 bytes/,
    );
  });

  it("prints JSON", async () => {
    const { code, format, totals, results } = await verdicts("d");
    assert.deepEqual([code, format], [0, "sealbook-verification/1"]);
    assert.deepEqual(totals, {
      files: 4,
      bytes: 3_000_002,
      verified: 4,
      changed: 0,
      no_proof: 0,
      chain_disagrees: 0,
      not_checked: 0,
      verified_by_server: 0,
    });
    const { proof } = await readJson(pathOf("d/a.txt"));
    assert.deepEqual(results[0], {
      file: "d/a.txt",
      result: "verified",
      by: "chain",
      document_id: "d/a.txt",
      tx_hash: proof.tx_hash,
      block_number: proof.block_number,
      timestamp: proof.timestamp,
      hash: proof.hash,
      bytes: 1,
    });
  });

  it("finds the one file with a changed byte", async () => {
    const changed = Buffer.alloc(3_000_000, 7);
    changed[1_500_000] = 6;
    await withContent(join(directory, "d/ünï ☃.bin"), changed, async () => {
      const { code, out } = await verify("d");
      assert.equal(code, 1);
      const lines = out.trimEnd().split("\n");
      assert.lengthOf(lines, 2);
      assert.equal(lines[0], "changed: d/ünï ☃.bin: the document differs from the proved one");
      assert.match(lines[1] ?? "", /^3 of 4 files verified \(1 changed,/);
    });
  });

  it("queries the server for a file without a proof file", async () => {
    await rename(pathOf("d/a.txt"), `${pathOf("d/a.txt")}.away`);
    await writeFiles(directory, { "new.txt": "never proved" });
    try {
      const { code, results, totals } = await verdicts("d/a.txt", "new.txt");
      assert.equal(code, 1);
      assert.deepInclude(results[0], { result: "verified", by: "server" });
      assert.deepInclude(results[1], {
        result: "no_proof",
        reason: "there is no proof file; message of the server: No proof found for this hash",
      });
      assert.equal(totals.verified_by_server, 1);
      const { results: unasked } = await verdicts("d", "--url", NOWHERE);
      assert.deepEqual(
        unasked.map((r: ParsedJson) => r.result),
        ["not_checked", "verified", "verified", "verified"],
      );
      assert.match(unasked[0].reason, /server does not respond/);
    } finally {
      await rename(`${pathOf("d/a.txt")}.away`, pathOf("d/a.txt"));
      await rm(join(directory, "new.txt"));
    }
  });

  it("reports an unavailable chain, and queries the server only on request", async () => {
    const { code, out } = await verify("d", "--rpc", NOWHERE);
    assert.equal(code, 1);
    assert.match(
      out,
      /^not checked: d\/a\.txt: not checked against the chain: the node at http:\/\/127\.0\.0\.1:9 does not respond$/m,
    );
    assert.match(out, /^0 of 4 files verified/m);
    const trusting = await verdicts("d", "--rpc", NOWHERE, "--server-only");
    assert.equal(trusting.code, 0);
    assert.deepInclude(trusting.totals, { verified: 4, verified_by_server: 4 });
  });

  it("finds a change without chain and server", async () => {
    await withContent(join(directory, "d/a.txt"), "b", async () => {
      const { results } = await verdicts("d/a.txt", "--rpc", NOWHERE, "--url", NOWHERE);
      assert.equal(results[0].result, "changed");
    });
  });

  it("reports unreadable files", async () => {
    await symlink("nowhere", join(directory, "d/broken"));
    try {
      const { code, results } = await verdicts("d", "missing");
      assert.equal(code, 1);
      const faults = results.filter((r: ParsedJson) => r.result !== "verified");
      assert.deepEqual(faults, [
        { file: "d/broken", result: "not_checked", reason: "does not exist" },
        { file: "missing", result: "not_checked", reason: "does not exist" },
      ]);
    } finally {
      await rm(join(directory, "d/broken"));
    }
  });

  it("reports a document replaced by another one with a proof, unless names are ignored", async () => {
    await withContent(join(directory, "d/a.txt"), "c", async () => {
      await withContent(pathOf("d/a.txt"), await readFile(pathOf("d/b/c.txt")), async () => {
        const { results } = await verdicts("d/a.txt");
        assert.deepInclude(results[0], {
          result: "changed",
          reason: 'the proof is of a different document, "d/b/c.txt"',
        });
        assert.equal((await verdicts("d/a.txt", "--any-id")).code, 0);
      });
    });
  });

  it("fails without files to verify, and for wrong usage", async () => {
    const none = await verify("sealbook-proofs");
    assert.deepEqual([none.code, none.out], [1, ""]);
    assert.match(none.err, /no files/);
    assert.equal((await verify()).code, 2);
    assert.equal((await verify("d", "--rpc", "nonsense")).code, 2);
  });

  describe("of a manipulated proof file", () => {
    const other32 = "ab".repeat(32);
    const tampered: [what: string, change: (file: ParsedJson) => void, result: string, reason: RegExp][] = [
      ["format", (f) => (f.format = "sealbook-proof/9"), "no_proof", /format/],
      ["status", (f) => (f.status = "sure"), "no_proof", /status/],
      ["id", (f) => (f.id = other32), "no_proof", /id is not its recorded hash/],
      ["proof.id", (f) => (f.proof.id = other32), "no_proof", /id is not its recorded hash/],
      ["document_id", (f) => (f.proof.document_id = `x/${f.proof.document_id}`), "no_proof", /the proof was changed/],
      ["hash", (f) => (f.proof.hash = other32), "no_proof", /the proof was changed/],
      ["record_hash", (f) => (f.proof.record_hash = other32), "no_proof", /the proof was changed/],
      ["metadata.type", (f) => (f.proof.metadata.type = "other"), "no_proof", /the proof was changed/],
      ["metadata.timestamp", (f) => (f.proof.metadata.timestamp -= 1), "no_proof", /the proof was changed/],
      ["chain_id", (f) => (f.proof.chain_id = 1), "chain_disagrees", /of chain 1, the node is of chain 7325/],
      ["contract", (f) => (f.proof.contract = `0x${"11".repeat(20)}`), "chain_disagrees", /no anchor/],
      ["tx_hash", (f) => (f.proof.tx_hash = `0x${other32}`), "chain_disagrees", /no successful transaction/],
      ["block_number", (f) => (f.proof.block_number += 1), "chain_disagrees", /is in block/],
      ["block_hash", (f) => (f.proof.block_hash = `0x${other32}`), "chain_disagrees", /has the hash/],
      ["timestamp", (f) => (f.proof.timestamp -= 1), "chain_disagrees", /time of block/],
      [
        "validator",
        (f) => (f.proof.validator = `0x${"11".repeat(20)}`),
        "chain_disagrees",
        /the proposer of the block is/,
      ],
      [
        "merkle",
        (f) => (f.proof.merkle = { root: `0x${other32}`, leaf: `0x${other32}`, index: 0, path: [] }),
        "chain_disagrees",
        /Merkle path/,
      ],
    ];
    const path = (): string => pathOf("d/a.txt");
    let results: ParsedJson[];

    before(async () => {
      // A document for each, so that one run finds them all, and nothing but them.
      const documents = tampered.map(([what]) => [`t/${what}`, what] as const);
      await writeFiles(directory, { ...Object.fromEntries(documents), "t/untouched": "" });
      await runScript("prove", directory, "t", "--url", server.url, "--type", "test");
      for (const [what, change] of tampered) {
        const file = await readJson(pathOf(`t/${what}`));
        change(file);
        await writeFile(pathOf(`t/${what}`), JSON.stringify(file));
      }
      const report = await verdicts("t");
      assert.equal(report.code, 1);
      assert.equal(report.totals.verified, 1);
      results = report.results;
    });

    for (const [what, , result, reason] of tampered) {
      it(`reports another ${what}`, () => {
        const found = results.find(({ file }) => file === `t/${what}`);
        assert.equal(found.result, result);
        assert.match(found.reason, reason);
      });
    }

    it("reports the anchor of another document", async () => {
      const [file, other] = [await readJson(path()), await readJson(pathOf("t/untouched"))];
      const { tx_hash, block_number, block_hash, timestamp } = other.proof;
      Object.assign(file.proof, { tx_hash, block_number, block_hash, timestamp });
      await withContent(path(), JSON.stringify(file), async () => {
        const [byChain, byServer] = await Promise.all([verdicts("d/a.txt"), verdicts("d/a.txt", "--server-only")]);
        assert.equal(byChain.results[0].result, "chain_disagrees");
        assert.match(byChain.results[0].reason, /does not contain the recorded hash/);
        assert.equal(byServer.results[0].result, "chain_disagrees");
        assert.match(byServer.results[0].reason, /the server's proof has tx_hash/);
      });
    });

    it("reports invalid JSON", async () => {
      await withContent(path(), "{", async () => {
        const { code, results } = await verdicts("d/a.txt");
        assert.equal(code, 1);
        assert.deepInclude(results[0], { result: "no_proof", reason: "its proof file is invalid: is not JSON" });
      });
    });
  });
});
