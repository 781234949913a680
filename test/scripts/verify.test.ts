import { assert } from "chai";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { canonicalJson } from "../../server/kit/json.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { type Outcome, runScript, runScriptOn, writeFiles } from "./proofs-support.ts";
import { withoutProgress } from "../support/without-progress.ts";

const NOWHERE = "http://127.0.0.1:9";
const FILES = { "d/a.txt": "a", "d/b/c.txt": "c", "d/b/empty": "", "d/ünï ☃.bin": Buffer.alloc(3_000_000, 7) };

/** Starts a node of the embedded chain that responds to nothing but the chain's id. */
async function startFailingNode(): Promise<{ url: string; server: Server }> {
  const responseTo = ({ id, method }: ParsedJson) =>
    method === "eth_chainId"
      ? { jsonrpc: "2.0", id, result: "0x1c9d" }
      : { jsonrpc: "2.0", id, error: { code: -32005, message: "limit exceeded" } };
  const server = createServer(async (request, response) => {
    const calls = JSON.parse(await text(request));
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(responseTo) : responseTo(calls)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, server };
}

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
    runScript("verify", directory, "--rpc", server.chainUrl, ...args);
  const verdicts = async (...args: string[]): Promise<ParsedJson> => {
    const { code, out } = await verify("--json", ...args);
    return { code, ...JSON.parse(out) };
  };
  const pathOf = (id: string): string => join(directory, "sealbook-proofs", `${id}.bundle.json`);

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
    const { code, out, err } = await verify("d");
    assert.deepEqual([code, withoutProgress(err)], [0, ""]);
    const [first, , , , trusted, totals] = out.trimEnd().split("\n");
    const { proof } = (await server.get(`/api/v1/proof/${encodeURIComponent("d/a.txt")}`)).body;
    const time = `${new Date(1000 * proof.timestamp).toISOString().slice(0, 19).replace("T", " ")} UTC`;
    assert.equal(first, `verified: d/a.txt: existed at ${time} (block ${proof.block_number} of chain 7325)`);
    assert.equal(trusted, "Trusted: the node");
    assert.match(totals ?? "", /^4 of 4 files verified \(0 not verified, 0 undetermined\), 3000002 bytes/);
    const quiet = await verify("d", "--quiet");
    assert.deepEqual([quiet.code, quiet.out.split("\n", 1)], [0, ["Trusted: the node"]]);
  });

  it("verifies hashes that were made elsewhere, in each format, without the files", async () => {
    const listed = promisify(execFile);
    const sum = async (...args: string[]): Promise<string> =>
      (await listed("sha256sum", args, { cwd: directory })).stdout;
    const names = Object.keys(FILES);
    const hashOf = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
    const lines = Object.entries(FILES).map(([name, content]) => [name, hashOf(content)] as const);
    const lists = [
      await sum("--", ...names),
      await sum("--binary", "--", ...names),
      await sum("--tag", "--", ...names),
      lines.map(([name, hash]) => `SHA256(${name})= ${hash}\r\n`).join(""),
      `# of BSD's sha256 -r\n\n${lines.map(([name, hash]) => `${hash.toUpperCase()} ./${name}`).join("\n")}`,
    ];
    for (const list of lists) {
      await writeFiles(directory, { SHA256SUMS: list });
      const { code, totals, results } = await verdicts("--sums", "SHA256SUMS");
      assert.deepEqual([code, totals.verified, totals.bytes], [0, 4, 0], list);
      assert.equal(results[0].file, "d/a.txt");
      const piped = await runScriptOn(list, "verify", directory, "--rpc", server.chainUrl, "--sums", "-");
      assert.equal(piped.code, 0, piped.err);
    }
    await writeFiles(directory, { SHA256SUMS: lists[0]?.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) ?? "" });
    const changed = await verdicts("--sums", "SHA256SUMS");
    assert.deepEqual([changed.code, changed.results[0].code], [1, "document_differs"]);
  });

  it("reports a list that is none, a hash without a name, and a name with two hashes", async () => {
    const hash = "ab".repeat(32);
    const refused = async (content: string | Buffer): Promise<string> => {
      await writeFiles(directory, { SUMS: content });
      const { code, out, err } = await verify("--sums", "SUMS");
      assert.deepEqual([code, out], [2, ""]);
      return err;
    };
    assert.match(await refused(`${hash}  a\n${hash.slice(1)}  b\n`), /^verify: SUMS:2: is not a SHA-256 and a name/);
    assert.match(await refused(`${hash}  a\0${hash}  b\0`), /^verify: SUMS:1: has a NUL/);
    await writeFiles(directory, { SUMS: "# nothing\n\n" });
    assert.deepInclude(await verify("--sums", "SUMS"), { code: 1, err: "verify: SUMS: no hashes found\n" });
    assert.match(await refused(`${hash}\n`), /^verify: SUMS:1: is not a SHA-256 and a name/);
    assert.match(await refused(`\\${hash}  a\\tb\n`), /^verify: SUMS:1: has an unknown escape, \\t$/m);
    assert.match(await refused(`${hash}  ${"a".repeat(200_000)}`), /^verify: SUMS:1: is longer than 16384 bytes$/m);
    assert.equal((await verify("--sums", "missing")).err, "verify: --sums missing: does not exist\n");
    assert.match((await verify("d", "--sums", "SUMS")).err, /^verify: give either files or --sums$/m);
    await writeFiles(directory, {
      SUMS: Buffer.concat([
        Buffer.from(`${hash}  -\n${hash}  twice\n${"cd".repeat(32)}  twice\n\\${hash}  a\\nb\\\\\n${hash}  f`),
        Buffer.from([0xf6, 0x0a]),
      ]),
    });
    const { code, results } = await verdicts("--sums", "SUMS");
    assert.equal(code, 3);
    assert.deepEqual(
      results.map(({ file, reason }: ParsedJson) => [file, reason]),
      [
        ["-", "has no name: the hash is of a standard input"],
        ["a\nb\\", "there is no bundle of it; run prove"],
        [`${hash}  f\\xf6`, "has a name that is not UTF-8 text; rename it"],
        ["twice", "is listed twice, with different hashes"],
      ],
    );
  });

  it("prints JSON", async () => {
    const { code, format, outcome, totals, trusted, results } = await verdicts("d");
    assert.deepEqual([code, format, outcome], [0, "sealbook-verification/3", "verified"]);
    assert.deepEqual(trusted, { key_id: null, validators: null, node: true });
    const counts = { verified: 4, not_verified: 0, undetermined: 0 };
    assert.deepEqual(totals, { files: 4, bytes: 3_000_002, ...counts });
    const { proof } = (await server.get(`/api/v1/proof/${encodeURIComponent("d/a.txt")}`)).body;
    const { reason, block_time, ...rest } = results[0];
    assert.match(reason, /^The document "d\/a\.txt" existed as it is now when block \d+ of chain 7325 was produced/);
    assert.equal(Date.parse(block_time.replace(" UTC", "Z")) / 1000, proof.timestamp);
    assert.deepEqual(rest, {
      file: "d/a.txt",
      outcome: "verified",
      code: null,
      document_id: "d/a.txt",
      block: { number: proof.block_number, timestamp: proof.timestamp, chain_id: 7325 },
      hash: proof.hash,
      bytes: 1,
    });
  });

  it("needs no node with the issuer's key", async () => {
    const [{ kid }] = (await server.get("/.well-known/jwks.json")).body.keys;
    const offline = (key: string): Promise<Outcome> => runScript("verify", directory, "d", "--trust-key", key);
    assert.equal((await offline(kid)).code, 0);
    const other = await offline("A".repeat(43));
    assert.equal(other.code, 1);
    assert.match(other.out, /^not verified: d\/a\.txt: Issuer's signature: .* not with the trusted key$/m);
  });

  it("finds the one file with a changed byte", async () => {
    const changed = Buffer.alloc(3_000_000, 7);
    changed[1_500_000] = 6;
    await withContent(join(directory, "d/ünï ☃.bin"), changed, async () => {
      const { code, out } = await verify("d");
      assert.equal(code, 1);
      const lines = out.trimEnd().split("\n");
      assert.lengthOf(lines, 6);
      assert.equal(lines[3], "not verified: d/ünï ☃.bin: the document differs from the proved one");
      assert.match(lines[5] ?? "", /^3 of 4 files verified \(1 not verified,/);
    });
  });

  it("reports a file without a bundle", async () => {
    await writeFiles(directory, { "new.txt": "never proved" });
    const { code, results } = await verdicts("d/a.txt", "new.txt");
    assert.equal(code, 3);
    assert.equal(results[0].outcome, "verified");
    const reason = "there is no bundle of it; run prove";
    assert.deepInclude(results[1], { outcome: "undetermined", code: "no_bundle", reason });
    await rm(join(directory, "new.txt"));
  });

  it("reports an unavailable chain, and a chain that does not have the block", async () => {
    const { code, out } = await verify("d", "--rpc", NOWHERE);
    assert.equal(code, 3);
    assert.match(out, /^undetermined: d\/a\.txt: Node: .*the node at http:\/\/127\.0\.0\.1:9 does not respond$/m);
    assert.match(out, /^0 of 4 files verified/m);
    // A node that returns an error says nothing about a bundle.
    const failing = await startFailingNode();
    const { results: unchecked } = await verdicts("d/a.txt", "--rpc", failing.url);
    failing.server.close();
    assert.deepInclude(unchecked[0], { outcome: "undetermined", code: "node_unavailable" });
    assert.match(unchecked[0].reason, /^Node: .*limit exceeded/);
    const other = await startServer();
    try {
      const { results } = await verdicts("d/a.txt", "--rpc", other.chainUrl);
      assert.oneOf(results[0].code, ["node_differs", "node_lacks_block"]);
      assert.match(results[0].reason, /^Node: /);
    } finally {
      await other.stop();
    }
  });

  it("finds a change without a node", async () => {
    await withContent(join(directory, "d/a.txt"), "b", async () => {
      const { results } = await verdicts("d/a.txt", "--rpc", NOWHERE);
      assert.deepInclude(results[0], { outcome: "not_verified", code: "document_differs" });
    });
  });

  it("reports unreadable files", async () => {
    await symlink("nowhere", join(directory, "d/broken"));
    try {
      const { code, results } = await verdicts("d", "missing");
      assert.equal(code, 3);
      const faults = results.filter((r: ParsedJson) => r.outcome !== "verified");
      const unreadable = { outcome: "undetermined", code: "file_unreadable", reason: "does not exist" };
      assert.deepEqual(faults, [
        { file: "d/broken", ...unreadable },
        { file: "missing", ...unreadable },
      ]);
    } finally {
      await rm(join(directory, "d/broken"));
    }
  });

  it("reports a document replaced by another one with a bundle, unless names are ignored", async () => {
    await withContent(join(directory, "d/a.txt"), "c", async () => {
      await withContent(pathOf("d/a.txt"), await readFile(pathOf("d/b/c.txt")), async () => {
        const { results } = await verdicts("d/a.txt");
        assert.deepInclude(results[0], {
          outcome: "not_verified",
          code: "other_document",
          reason: 'the bundle is of a different document, "d/b/c.txt"',
        });
        assert.equal((await verdicts("d/a.txt", "--any-id")).code, 0);
      });
    });
  });

  it("reports an altered and a damaged bundle", async () => {
    const altered = JSON.parse(await readFile(pathOf("d/a.txt"), "utf8"));
    altered.record.metadata.timestamp -= 1;
    for (const [text, expected, reason] of [
      [canonicalJson(altered), "signature_invalid", /^Issuer's signature: the signature does not match/],
      [JSON.stringify(altered, null, 1), "format_invalid", /^Format: the bundle is not canonical JSON/],
      ["{", "format_invalid", /^Format: the bundle is not JSON/],
    ] as const)
      await withContent(pathOf("d/a.txt"), text, async () => {
        const { code, results } = await verdicts("d/a.txt");
        assert.deepEqual([code, results[0].outcome, results[0].code], [1, "not_verified", expected]);
        assert.match(results[0].reason, reason);
      });
  });

  it("fails without files to verify, and for wrong usage", async () => {
    const none = await verify("sealbook-proofs");
    assert.deepEqual([none.code, none.out], [1, ""]);
    assert.match(none.err, /no files/);
    assert.equal((await verify()).code, 2);
    assert.equal((await verify("d", "--rpc", "nonsense")).code, 2);
    assert.equal((await verify("d", "--trust-key", "nonsense")).code, 2);
    await writeFiles(directory, { "validators.txt": "nobody" });
    for (const [file, reason] of [
      ["missing.txt", "does not exist"],
      ["validators.txt", '"nobody" is not the address of a validator'],
    ] as const) {
      const { code, out, err } = await verify("d", "--validators", file);
      assert.deepEqual([code, out, err], [2, "", `verify: --validators ${file}: ${reason}\n`]);
    }
  });
});
