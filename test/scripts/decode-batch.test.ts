import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { parse } from "csv-parse/sync";
import { encodeCallData } from "../../server/records/call-data.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content } from "../support/envelope.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { callDataVectors } from "../vectors/calldata/vectors.ts";
import type { Outcome } from "./proofs-support.ts";

const RECORDS = 20;

describe("decode script with many calls", () => {
  let server: TestServer;
  let directory: string;
  let contract: string;
  /** Hashes of the transactions, in the order of the chain. */
  const hashes: string[] = [];

  const decode = async (args: readonly string[], input = ""): Promise<Outcome> => {
    const child = spawn(process.execPath, [SEALBOOK, "decode", ...args], { env: SURROUNDINGS, stdio: "pipe" });
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.stdin.end(input);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  };
  const onChain = (...args: readonly string[]): Promise<Outcome> => decode([...args, "--rpc", server.chainUrl]);
  const jsonLines = (out: string): ParsedJson[] =>
    out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  before(async () => {
    server = await startServer();
    directory = await temporaryDirectory();
    const token = await server.login();
    for (let index = 0; index < RECORDS; index += 1) {
      const record = { code: index === 3 ? "=1+1" : `code ${index}`, topic: 'a "topic", here', payload: { index } };
      content(await server.call(ROUTES.store, { token }, record), ROUTES.store);
    }
    const search = { search: { target: "1", value: "*", locations: true } };
    const { tparams } = content(await server.call(ROUTES.search, { token }, search), ROUTES.search);
    hashes.push(...tparams.locations.map(({ tx_hash }: ParsedJson) => tx_hash).reverse());
    assert.lengthOf(hashes, RECORDS);
    const { out } = await onChain("--tx", hashes[0] ?? "", "--json");
    contract = JSON.parse(out).chain.contract;
  });
  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });

  it("decodes all records of a range of blocks, in the order of the chain", async () => {
    const { code, out, err } = await onChain("--blocks", "0-", "--json");
    assert.equal(code, 0, err);
    const rows = jsonLines(out);
    assert.deepEqual(
      rows.map(({ source }) => source),
      hashes,
    );
    for (const [index, { row, checks, chain }] of rows.entries()) {
      assert.deepEqual(row.payload, { index });
      assert.deepEqual([checks.passed, checks.binding], [true, "place"]);
      assert.deepEqual([chain.state, chain.wrote, chain.contract], ["current", "first", contract]);
    }
    assert.match(err, new RegExp(`^decode: ${RECORDS} calls, 0 failed, in blocks 0 to \\d+$`, "m"));
  });

  it("decodes the blocks that are named, and the calls of the contract that is named", async () => {
    const [first, last] = jsonLines((await onChain("--blocks", "0-", "--json")).out)
      .map(({ chain }) => chain.block_number)
      .filter((_, index) => index === 4 || index === 9);
    const { out } = await onChain("--blocks", `${first}-${last}`, "--contract", contract);
    assert.equal(out.trimEnd().split("\n").length, 6);
    assert.match(out, /^0x[0-9a-f]{64} passed current events\/5 0x[0-9a-fA-F]{40} code 4$/m);
    const other = await onChain("--blocks", "0-", "--contract", `0x${"ab".repeat(20)}`);
    assert.deepEqual([other.code, other.out], [0, ""]);
    const beyond = await onChain("--blocks", "999999-");
    assert.deepEqual([beyond.code, beyond.out], [1, ""]);
    assert.match(beyond.err, /^decode: the newest block is \d+$/m);
  });

  it("writes a table, in which no text is a formula", async () => {
    const { code, out } = await onChain("--blocks", "0-", "--csv");
    assert.equal(code, 0);
    const rows: ParsedJson[] = parse(out, { columns: true });
    assert.lengthOf(rows, RECORDS);
    const { time, block, signer, ...row } = rows[3] ?? assert.fail();
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.match(block, /^\d+$/);
    assert.equal(signer, server.demo.login);
    assert.deepInclude(row, {
      source: hashes[3],
      contract,
      function: "insert",
      table: "events",
      row_id: "4",
      binding: "place",
      state: "current",
      wrote: "first",
      passed: "yes",
      failed: "",
      code: "'=1+1",
      topic: 'a "topic", here',
      payload: '{"index":3}',
      warnings: "",
    });
  });

  it("decodes the lines of a file: call data and hashes, with what is wrong with each", async () => {
    const { inputdata } = callDataVectors().find(({ name }) => name === "own-set-plain") ?? assert.fail();
    const unsigned = encodeCallData("set", {
      tabname: "t",
      rowid: 1n,
      rowdata: Buffer.from("1|0x|c|d|e30=|t|1"),
      comp: false,
      signature: "",
    });
    const unknown = `0x${"12".repeat(32)}`;
    const lines = ["# calls", "", inputdata, hashes[0] ?? "", "0xzz", unsigned, unknown];
    const file = join(directory, "calls.txt");
    await writeFile(file, lines.join("\r\n"));
    const { code, out, err } = await onChain("--file", file, "--json");
    assert.equal(code, 1);
    assert.match(err, /^decode: 5 calls, 3 failed$/m);
    const [plain, stored, noHex, notSigned, missing] = jsonLines(out);
    assert.deepEqual([plain?.source, plain?.checks.passed, plain?.chain], ["line 3", true, null]);
    assert.deepEqual([stored?.source, stored?.checks.passed, stored?.chain.state], [hashes[0], true, "current"]);
    assert.deepEqual([noHex?.source, noHex?.checks], ["line 5", undefined]);
    assert.match(noHex?.fault, /^inputdata: /);
    assert.deepEqual(notSigned?.checks.failed, ["no event table would accept the signature"]);
    assert.deepEqual(missing, { source: unknown, fault: "the chain has no such transaction" });
  });

  it("reads the standard input, and needs a node for hashes only", async () => {
    const { inputdata } = callDataVectors().find(({ name }) => name === "own-set-plain") ?? assert.fail();
    const { code, out } = await decode(["--file", "-"], `${inputdata}\n${hashes[0]}\n`);
    assert.equal(code, 3);
    assert.match(out, /^line 1 passed events\/1 0x\S+ pm25-berlin$/m);
    assert.match(out, new RegExp(`^${hashes[0]} UNDETERMINED needs a node: --rpc$`, "m"));
  });
});
