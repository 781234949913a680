import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content } from "../support/envelope.ts";
import { allTransactions } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { callDataVectors } from "../vectors/calldata/vectors.ts";
import { type Outcome, runScript, writeFiles } from "./proofs-support.ts";

const ROOT = join(import.meta.dirname, "../..");
const HARDHAT = [join(ROOT, "node_modules/hardhat/dist/src/cli.js"), "--config", join(ROOT, "hardhat.config.ts")];

describe("Hardhat tasks", () => {
  let server: TestServer;
  let directory: string;

  before(async () => {
    server = await startServer();
    directory = await temporaryDirectory();
    await writeFiles(directory, { "d/a.txt": "a", "d/b.txt": "b" });
    const { code, err } = await runScript("prove", directory, "d", "--url", server.url, "--type", "t", "--source", "s");
    assert.equal(code, 0, err);
  });
  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });

  async function run(...args: readonly string[]): Promise<Outcome> {
    const child = spawn(process.execPath, [...HARDHAT, "sealbook", ...args], {
      cwd: directory,
      env: { ...SURROUNDINGS, NO_COLOR: "1", RPC_URL: server.chainUrl },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  }

  it("decode call data without a network", async () => {
    const { inputdata, transaction } =
      callDataVectors().find(({ name }) => name === "own-insert-compressed") ?? assert.fail();
    const { code, out, err } = await run("decode", inputdata, "--json");
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out).transaction, transaction);
    const listing = await run("decode", inputdata);
    assert.match(listing.out, /^function: +insert$/m);
  });

  it("decode a transaction of the network by its hash", async () => {
    const token = await server.login();
    const record = { code: "the code", topic: "t", payload: { a: 1 } };
    content(await server.call(ROUTES.store, { token }, record), ROUTES.store);
    const { hash } = (await allTransactions(server.chainUrl)).at(-1) ?? assert.fail();
    const { code, out, err } = await run("decode", hash, "--network", "remote");
    assert.equal(code, 0, err);
    assert.match(out, /^code: +the code$/m);
  });

  it("decode nothing else, and say why", async () => {
    const malformed = await run("decode", "0x12345678");
    assert.equal(malformed.code, 1);
    assert.match(malformed.err, /^sealbook: /);
    const unknown = await run("decode", `0x${"ab".repeat(32)}`, "--network", "remote");
    assert.include(unknown.err, "sealbook: the network remote has no transaction 0xabab");
    assert.equal(unknown.code, 1);
  });

  it("verify files with the network's chain", async () => {
    const { code, out, err } = await run("verify", "d", "--network", "remote");
    assert.equal(code, 0, err);
    assert.match(out, /^2 of 2 files verified/m);
    await writeFile(join(directory, "d/b.txt"), "other");
    const changed = await run("verify", "d", "--json", "--network", "remote");
    assert.equal(changed.code, 1);
    assert.equal(JSON.parse(changed.out).totals.not_verified, 1);
  });

  it("verify nothing without a network, and no file that does not exist", async () => {
    const nowhere = await run("verify", "d");
    assert.equal(nowhere.code, 1);
    assert.include(nowhere.err, "sealbook: name the network of the chain: --network NAME");
    const none = await run("verify", "none", "--network", "remote");
    assert.equal(none.code, 3);
    assert.include(none.out, "none: does not exist");
  });
});
