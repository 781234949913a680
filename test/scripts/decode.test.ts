import { SEALBOOK } from "../support/sealbook.ts";
import { assert } from "chai";
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { decodeCallData, encodeCallData } from "../../server/records/call-data.ts";
import { signRow } from "../../server/records/row-signature.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content } from "../support/envelope.ts";
import { freePort } from "../support/free-port.ts";
import { allTransactions } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { callDataVectors, type CallDataVector } from "../vectors/calldata/vectors.ts";

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Without `DATA_DIR` no deployment is known. */
async function decode(args: readonly string[], input = "", dataDirectory = "/nonexistent"): Promise<Outcome> {
  const env = { ...SURROUNDINGS, DATA_DIR: dataDirectory };
  const child = spawn(process.execPath, [SEALBOOK, "decode", ...args], { env, stdio: "pipe" });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin.on("error", () => undefined); // it may end without reading its input
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

function vector(name: string): CallDataVector {
  return callDataVectors().find((candidate) => candidate.name === name) ?? assert.fail(`no vector ${name}`);
}

const HASH = `0x${"12".repeat(32)}`;
const SENDER = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A";

describe("decode script", () => {
  const own = vector("own-insert-compressed");

  it("prints the transaction as JSON only", async () => {
    const outcome = await decode([own.inputdata, "--json", "--function", "insert"]);
    assert.deepEqual({ ...outcome, out: "" }, { code: 0, out: "", err: "" });
    const { row, checks, chain, warnings, transaction, ...call } = JSON.parse(outcome.out);
    assert.deepEqual(transaction, own.transaction);
    assert.deepEqual(call, { function: "insert", table: "events", row_id: "4711" });
    const { payload, ...segments } = row;
    assert.deepEqual(payload, own.transaction.rowdata.payload);
    assert.deepEqual(segments, {
      row_id: "4711",
      sender: own.row.sender,
      code: "series",
      created_at: "Mon, 05 Jan 2026 00:00:00 GMT",
      topic: "hourly series",
      format: "1",
    });
    assert.deepEqual(checks, {
      passed: true,
      failed: [],
      undetermined: [],
      signer: own.signer,
      binding: "none",
      signed_by_sender: true,
      row_id_matches: true,
    });
    assert.deepEqual([chain, warnings], [null, []]);
  });

  it("reads the standard input", async () => {
    const foreign = vector("foreign-set-bzip2");
    const outcome = await decode(["-", "--json"], ` ${foreign.inputdata}\n`);
    assert.deepEqual(JSON.parse(outcome.out).transaction, foreign.transaction);
  });

  it("reads data longer than a command line", async () => {
    const filler = Buffer.from(JSON.stringify({ filler: "x".repeat(200_000) })).toString("base64");
    const rowdata = Buffer.from(`1|s|c|d|${filler}|t|1`);
    const inputdata = encodeCallData("set", { tabname: "t", rowid: 1n, rowdata, comp: false, signature: "" });
    const outcome = await decode(["-", "--json"], inputdata);
    assert.equal(outcome.code, 1, "it is not signed");
    assert.equal(JSON.parse(outcome.out).transaction.rowdata.length, rowdata.length);
  });

  it("lists every field as text", async () => {
    const { code, out, err } = await decode([own.inputdata]);
    assert.deepEqual([code, err], [0, ""]);
    const { record } = own;
    assert.isDefined(record);
    for (const line of [
      /^function: +insert$/m,
      /^table: +events$/m,
      /^row id: +4711$/m,
      /^compressed: +yes$/m,
      /^sender: +0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A$/m,
      /^code: +series$/m,
      /^date: +Mon, 05 Jan 2026 00:00:00 GMT$/m,
      /^topic: +hourly series$/m,
      /^format: +1$/m,
      /^signer: +0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A$/m,
      /^signature is: +over the row data alone: bound to no place$/m,
      /^signed by sender: +yes$/m,
      /^row id matches: +yes$/m,
      /^checks: +passed$/m,
      /"sensordevice": "roof-3"/,
    ]) {
      assert.match(out, line);
    }
  });

  it("prints the numbers of the payload as they are in the row", async () => {
    const payload =
      '{"list":[1.0,-0,1e400,0.1000000000000000055,123456789012345678901234567890],"__proto__":{"pm":12.50}}';
    const rowdata = Buffer.from(`1|s|c|d|${Buffer.from(payload).toString("base64")}|t|1`);
    const inputdata = encodeCallData("set", { tabname: "t", rowid: 1n, rowdata, comp: false, signature: "" });
    const [listing, json] = await Promise.all([decode([inputdata]), decode([inputdata, "--json"])]);
    const printed = listing.out.slice(listing.out.indexOf("payload:") + "payload:".length);
    assert.equal(printed.replaceAll(/\s/g, ""), payload);
    assert.include(json.out.replaceAll(/\s/g, ""), `"payload":${payload}`);
  });

  it("does not check a signature whose place it does not know, and fails for what is wrong anywhere", async () => {
    const { arguments: args } = decodeCallData(own.inputdata);
    const rowdata = Buffer.from("1|0x00a329c0648769a73afac7f9381e08fb43dbea72|c|d|e30=|t|1");
    const [another, none] = await Promise.all([
      decode([encodeCallData("set", { ...args, rowdata, comp: false })]),
      decode([vector("foreign-signature-without-prefix").inputdata]),
    ]);
    assert.match(another.out, /^checks: +failed$/m);
    assert.equal(another.code, 1);
    assert.match(another.err, /^decode: check failed: the row id in the row is not that of the call$/m);
    assert.match(another.out, /^signer: +not checked$/m);
    assert.match(another.out, /^signed by sender: +not checked$/m);
    assert.match(another.err, /^decode: undetermined: the signature is not checked: it counts for one chain and con/m);
    assert.equal(none.code, 1);
    assert.match(none.out, /^signer: +none/m);
    assert.match(none.out, /^signed by sender: +no$/m);
  });

  it("prints no terminal control characters", async () => {
    const payload = Buffer.from('{"a":"\\u001b[2J\\u009b\\u202e"}').toString("base64");
    const rowdata = Buffer.from(`1|s|\u001b[31m\u202e|d\r\n|${payload}|t\u0007|1`);
    const { out } = await decode([
      encodeCallData("set", { tabname: "\u009b", rowid: 1n, rowdata, comp: false, signature: "\n" }),
    ]);
    assert.notMatch(out, /[^\P{C}\n]/u);
    assert.include(out, "\\u{1b}[31m\\u{202e}");
  });

  const bad: [what: string, args: string[], code: number, message: RegExp][] = [
    ["data that are not hex", ["0xzz"], 1, /^decode: inputdata: .*not a hexadecimal digit\n$/],
    ["data cut short", [own.inputdata.slice(0, -64)], 1, /^decode: signature: cut short/],
    ["an empty standard input", ["-"], 1, /^decode: inputdata: does not start with 0x\n$/],
    ["the wrong function", [own.inputdata, "--function", "set"], 1, /is not that of set/],
    ["no data", [], 2, /^decode: give one of call data, --tx, --blocks and --file\n$/],
    ["the hash of a transaction", [HASH], 2, /^decode: this is the hash of a transaction, no call data: --tx 0x12/],
    ["call data and a transaction", [own.inputdata, "--tx", HASH], 2, /^decode: give one of call data, --tx, /],
    ["blocks that end before they begin", ["--blocks", "7-6"], 2, /The first block is after the last/],
    ["blocks that are no range", ["--blocks", "7"], 2, /It must be FROM-TO, or FROM-/],
    [
      "a contract without its chain",
      [own.inputdata, "--contract", SENDER],
      2,
      /--contract needs --chain-id, or a node/,
    ],
    ["a chain without a contract", [own.inputdata, "--chain-id", "1"], 2, /--chain-id needs --contract/],
    ["a contract that is no address", [own.inputdata, "--contract", "0x12"], 1, /--contract/],
    ["a table of one call", [own.inputdata, "--csv"], 2, /--csv is for --blocks or --file/],
    ["a file that does not exist", ["--file", "/does/not/exist"], 1, /^decode: ENOENT[^\n]*\n$/],
    ["a malformed hash", ["--tx", "0x12"], 2, /It must be 0x and 64 hexadecimal digits/],
    ["an unknown function", [own.inputdata, "--function", "delete"], 2, /Allowed choices are set, insert/],
    ["an unknown option", [own.inputdata, "--yaml"], 2, /unknown option/],
    ["two arguments", [own.inputdata, own.inputdata], 2, /too many arguments/],
  ];
  for (const [what, args, code, message] of bad) {
    it(`exits with ${code} for ${what}`, async () => {
      const outcome = await decode(args);
      assert.equal(outcome.code, code, outcome.err);
      assert.equal(outcome.out, "");
      assert.match(outcome.err, message);
    });
  }
});

describe("decode script with the place of a row", () => {
  const contract = `0x${"ab".repeat(20)}`;
  const rowdata = Buffer.from(`7|${SENDER}|c|d|e30=|t|1`);
  const row = { tabname: "events", rowid: 7n, rowdata, comp: false };
  const signature = signRow(row, { chainId: 7325, address: contract }, Buffer.from("11".repeat(32), "hex"));
  const inputdata = encodeCallData("insert", { ...row, signature });

  it("checks a signature that is bound to it, without a node", async () => {
    const { code, out, err } = await decode([inputdata, "--contract", contract, "--chain-id", "7325"]);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^contract: +0x[0-9a-fA-F]{40} on chain 7325$/m);
    assert.match(out, /^signature is: +bound to chain, contract, table and row id$/m);
    assert.match(out, /^checks: +passed$/m);
  });

  it("refuses it for any other place, and says how to check it without one", async () => {
    const other = encodeCallData("insert", { ...row, rowid: 8n, signature });
    for (const [data, ...place] of [
      [inputdata, "--contract", contract, "--chain-id", "1"],
      [inputdata, "--contract", SENDER, "--chain-id", "7325"],
      [other, "--contract", contract, "--chain-id", "7325"],
    ]) {
      const { code, err } = await decode([data ?? "", ...place]);
      assert.equal(code, 1);
      assert.match(err, /^decode: check failed: the sender named in the row signed neither it for contract 0x/m);
    }
    const { code, out, err } = await decode([inputdata, "--json"]);
    assert.equal(code, 3);
    assert.match(err, /give --contract and its chain$/m);
    const { checks, chain } = JSON.parse(out);
    assert.deepInclude(checks, { passed: false, failed: [], signer: null, signed_by_sender: null, binding: null });
    assert.isNull(chain);
  });

  it("knows the place from the deployment in DATA_DIR", async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, "deployments"));
    const write = (chainId: number, EventTable: string): Promise<void> => {
      const contracts = { SessionRegistry: SENDER, EventTable, ProofAnchor: SENDER };
      const deployment = JSON.stringify({ chainId, firstBlock: 0, contracts });
      return writeFile(join(directory, `deployments/${chainId}.json`), deployment);
    };
    try {
      await write(7325, contract);
      const known = await decode([inputdata], "", directory);
      assert.deepEqual([known.code, known.err], [0, ""]);
      assert.match(known.out, /^contract: +0x[0-9a-fA-F]{40} on chain 7325$/m);
      const line = await decode(["--file", "-"], inputdata, directory);
      assert.match(line.out, /^line 1 passed events\/7 /);
      const other = encodeCallData("insert", { ...row, rowid: 8n, signature });
      assert.equal((await decode([other], "", directory)).code, 1);
      await write(1, SENDER);
      assert.match((await decode([inputdata], "", directory)).out, /^contract: +0x[0-9a-fA-F]{40} on chain 7325$/m);
      const ambiguous = await decode(
        [encodeCallData("insert", { ...row, tabname: "other", signature })],
        "",
        directory,
      );
      assert.equal(ambiguous.code, 3, "it may be of neither");
    } finally {
      await removeDirectory(directory);
    }
  });

  it("leaves the signature of a contract account to the chain", async () => {
    const other = encodeCallData("insert", { ...row, signature: `${contract}abcd` });
    const foreign = await decode([other, "--contract", contract, "--chain-id", "7325"]);
    assert.match(foreign.err, /^decode: check failed: the signer 0x\w{40} is not the sender named in the row$/m);
    const account = encodeCallData("insert", { ...row, signature: `${SENDER}abcd` });
    const { code, out, err } = await decode([account, "--contract", contract, "--chain-id", "7325"]);
    assert.equal(code, 3, out);
    assert.match(err, /^decode: undetermined: the signature is not checked: it is of a contract account, /m);
  });

  it("decodes what a contract accepts with a warning: other offsets, bytes after the end, no padding", async () => {
    const { inputdata: canonical } = vector("own-insert-compressed");
    const words = canonical.slice(10).match(/.{1,64}/g) ?? [];
    const shifted = words.map((word, index) =>
      [0, 2, 4].includes(index) ? (BigInt(`0x${word}`) + 32n).toString(16).padStart(64, "0") : word,
    );
    const moved = canonical.slice(0, 10) + [...shifted.slice(0, 5), "0".repeat(64), ...shifted.slice(5)].join("");
    const args = ["--json", "--function", "insert"];
    const [gap, longer, shorter] = await Promise.all([
      decode([moved, ...args]),
      decode([`${canonical}ff`, ...args]),
      decode([canonical.slice(0, -2), ...args]),
    ]);
    for (const { code, out, err } of [gap, longer, shorter]) {
      assert.equal(code, 0, err);
      const report = JSON.parse(out);
      assert.equal(report.checks.passed, true);
      assert.equal(report.transaction.rowdata.filechain, vector("own-insert-compressed").transaction.rowdata.filechain);
      assert.isNotEmpty(report.warnings);
      for (const warning of report.warnings) assert.include(err, `decode: warning: ${warning}\n`);
    }
    assert.lengthOf(JSON.parse(gap.out).warnings, 3);
    assert.match(longer.err, /inputdata: overlong: arguments end at \d+ of \d+ bytes/);
    assert.match(shorter.err, /signature: cut short: its padding is not whole/);
  });
});

describe("decode script with a transaction", () => {
  let server: TestServer;
  let hash: string;
  before(async () => {
    server = await startServer();
    const token = await server.login();
    const record = { code: "of a transaction", topic: "t", payload: { value: 1 } };
    assert.equal((await server.call(ROUTES.store, { token }, record)).status, 200);
    const search = { search: { target: "1", value: record.code, locations: true } };
    const { tparams } = content(await server.call(ROUTES.search, { token }, search), ROUTES.search);
    hash = tparams.locations[0].tx_hash;
  });
  after(() => server.stop());

  it("decodes it from a node", async () => {
    const { code, out, err } = await decode(["--tx", hash, "--rpc", server.chainUrl]);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^code: +of a transaction$/m);
    assert.match(out, /^checks: +passed$/m);
    assert.match(out, /^on chain: +current$/m);
    assert.match(out, /^written: +the first row of its number$/m);
    assert.match(out, /^block: +\d+, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
  });

  it("fails for a transaction of another contract than the one that is named", async () => {
    const { code, err } = await decode(["--tx", hash, "--contract", SENDER, "--rpc", server.chainUrl]);
    assert.equal(code, 1);
    assert.match(err, /^decode: check failed: the transaction is one of another contract than --contract$/m);
    const line = await decode(["--file", "-", "--contract", SENDER, "--rpc", server.chainUrl], hash);
    assert.deepEqual([line.code, /FAILED current/.test(line.out)], [1, true], line.out);
  });

  it("does not call a row overwritten of which it knows no transaction", async () => {
    const [transaction] = (await allTransactions(server.chainUrl)).filter((each) => each.hash === hash);
    const { arguments: args } = decodeCallData(transaction?.input ?? "");
    const changed = encodeCallData("insert", { ...args, rowdata: Buffer.from("1|0x|c|d|e30=|t|1"), comp: false });
    const { out, err } = await decode([changed, "--contract", transaction?.to ?? "", "--rpc", server.chainUrl]);
    assert.match(out, /^on chain: +another$/m);
    assert.match(err, /^decode: undetermined: the contract has another row of this number; /m);
  });

  it("has the verdict as JSON", async () => {
    const { code, out } = await decode(["--tx", hash, "--rpc", server.chainUrl, "--json"]);
    assert.equal(code, 0);
    const { chain, checks } = JSON.parse(out);
    assert.deepEqual([chain.chain_id, chain.tx_hash, chain.state, chain.wrote], [7325, hash, "current", "first"]);
    assert.deepEqual([checks.passed, checks.binding, checks.signer], [true, "place", server.demo.login]);
  });

  it("compares call data with the chain", async () => {
    const [transaction] = (await allTransactions(server.chainUrl)).filter((each) => each.hash === hash);
    const { input = "", to = "" } = transaction ?? {};
    const place = ["--contract", to ?? "", "--rpc", server.chainUrl];
    assert.match((await decode([input, ...place])).out, /^on chain: +current$/m);
    const known = await decode([input, "--rpc", server.chainUrl], "", server.directory);
    assert.match(known.out, /^on chain: +current$/m);
    const { inputdata } = vector("own-insert-compressed");
    const other = await decode([input, ...place, "--chain-id", "1"]);
    assert.deepEqual([other.code, other.err], [1, "decode: --chain-id is 1, but the node is of chain 7325\n"]);
    const missing = await decode([inputdata, ...place]);
    assert.equal(missing.code, 1);
    assert.match(missing.out, /^on chain: +missing$/m);
    assert.match(missing.err, /^decode: check failed: the chain has no such row$/m);
  });

  it("reports a transaction that the chain does not have", async () => {
    const { code, out, err } = await decode(["--tx", HASH, "--rpc", server.chainUrl]);
    assert.deepEqual([code, out, err], [1, "", `decode: the chain has no transaction ${HASH}\n`]);
  });

  it("reports a node that does not respond", async () => {
    const rpc = `http://127.0.0.1:${await freePort()}`;
    const { code, err } = await decode(["--tx", HASH, "--rpc", rpc]);
    assert.equal(code, 3);
    assert.equal(err, `decode: undetermined: --tx ${HASH}: the node at ${rpc} does not respond\n`);
  });
});
