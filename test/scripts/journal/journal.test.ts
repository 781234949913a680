import { SEALBOOK } from "../../support/sealbook.ts";
import { makeBlock, shownBlock } from "../../support/made-block.ts";
import { assert } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import type { EnvironmentVariables } from "../../../server/config/environment.ts";
import { openSqlite } from "../../../server/journal/engine/sqlite.ts";
import { fillJournal } from "../../../bench/load/journal.ts";
import { journalCommand } from "../../../scripts/commands/journal.ts";
import { runHere } from "../../support/command.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { freshDocuments } from "../../support/exactly-once.ts";
import { nodeInMode } from "../../support/node-modes.ts";
import { type FaultyProxy, only, startFaultyProxy } from "../../support/faulty-proxy.ts";
import { startLoad } from "../../support/load.ts";
import { type ServerProcess, startProcess } from "../../support/process.ts";
import { type RemoteChain, startRemoteChain } from "../../support/remote-chain.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { SURROUNDINGS } from "../../support/surroundings.ts";
import { withoutProgress } from "../../support/without-progress.ts";
import type { Outcome } from "../proofs-support.ts";
import { changeEntries } from "../../support/journal-rows.ts";

/** Heads of a node that lacks the newest blocks, before another one behind the same address responds. */
const LAGGING_RESPONSES = 6;

/** Starts the script. Nothing of this process's environment configures it. */
function start(variables: EnvironmentVariables, ...args: string[]) {
  const child = spawn(process.execPath, [SEALBOOK, "journal", ...args], {
    env: { ...SURROUNDINGS, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const outcome = Promise.all([ended, text(child.stdout), text(child.stderr)]).then(([[code], out, err]): Outcome => ({
    code,
    out,
    err,
  }));
  return { interrupt: () => void child.kill("SIGINT"), errors: child.stderr, outcome };
}

function journal(variables: EnvironmentVariables, ...args: string[]): Promise<Outcome> {
  return start(variables, ...args).outcome;
}

/**
 * Runs the command in this process, once at a time: two would wait for each other's locks on the only thread. No server
 * of this process may have the database open: closing its files drops their locks.
 */
function here(variables: EnvironmentVariables, ...args: string[]): Promise<Outcome> {
  return runHere(journalCommand, variables, args);
}

/** Changes a journal like a process with access to its file. */
function tamper(directory: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(join(directory, "sealbook.sqlite"));
  change(database);
  database.close();
}

describe("journal script", function () {
  describe("on the embedded chain", function () {
    let directory: string;
    let server: ServerProcess;
    let variables: EnvironmentVariables;
    before(async () => {
      directory = await temporaryDirectory();
      variables = { DATA_DIR: directory };
      server = await startProcess(directory);
      for (const size of [1, 5, 40]) {
        const { status, text: body } = await server.post("/api/v1/proof/batch", { documents: freshDocuments(size) });
        assert.equal(status, 201, body);
      }
    });
    after(async () => {
      await server.end("SIGKILL");
      await removeDirectory(directory);
    });

    it("finds nothing beside a running server", async () => {
      const { code, out, err } = await journal(variables, "check");
      assert.deepEqual({ code, err: withoutProgress(err) }, { code: 0, err: "" }, out);
      const printed =
        /^entries 1 to (\d+): 46 proofs \(0 not confirmed yet\), (\d+) confirmations \(\d of the journal itself\), 1 accounts; (\d+) confirmations compared with the chain: all right\n$/.exec(
          out,
        );
      assert.isNotNull(printed, out);
      assert.equal(printed?.[2], printed?.[3]);
    });

    it("finds nothing while the server is under load", async () => {
      const load = startLoad(server);
      await load.confirms(50);
      for (const args of [[], ["--offline"]]) {
        const { code, out, err } = await journal(variables, "check", ...args);
        assert.deepEqual({ code, err: withoutProgress(err) }, { code: 0, err: "" }, out);
        await load.confirms(20);
      }
      await load.end();
    });

    it("works without the server, and prints findings as JSON", async () => {
      await server.end("SIGTERM");
      const stopped = { ...variables, CHAIN_PORT: "0" };
      const clean = await here(stopped, "check", "--json");
      assert.equal(clean.code, 0, clean.out + clean.err);
      const result = JSON.parse(clean.out);
      assert.deepEqual([result.kind, result.complete, result.findings], ["result", true, 0]);
      assert.isAbove(result.compared, 4);

      tamper(directory, (database) =>
        changeEntries(database, (entry) =>
          entry.kind === "proof" && entry.sequence === 10 ? { ...entry, metadata: {} } : entry,
        ),
      );
      const { code, out } = await here(stopped, "check", "--json");
      assert.equal(code, 1);
      const [finding, summary] = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.equal(finding.kind, "row_changed");
      assert.isTrue(finding.sequence <= 10 && finding.last >= 10);
      assert.match(
        finding.message,
        /^the entries \d+ to \d+ of the journal were not written by a relayer, or were changed$/,
      );
      assert.equal(summary.findings, 1);
    });
  });

  describe("on another chain", function () {
    let chain: RemoteChain;
    let server: TestServer;
    let proxy: FaultyProxy;
    let variables: EnvironmentVariables;
    before(async () => {
      chain = await startRemoteChain();
      server = await startServer(chain.variables, { directory: chain.directory });
      for (const size of [3, 4])
        assert.equal((await server.post("/api/v1/proof/batch", { documents: freshDocuments(size) })).status, 201);
      proxy = await startFaultyProxy(chain.proxy.url);
      const { RELAYER_KEY: _relayer, ADMIN_KEY: _administrator, ...others } = chain.variables;
      variables = { ...others, DATA_DIR: chain.directory, RPC_URL: proxy.url };
    });
    after(async () => {
      await proxy.close();
      await server.stop("keep");
      await chain.close();
    });
    afterEach(() => (proxy.intercept = () => "pass"));

    it("needs no key", async () => {
      const { code, out, err } = await journal(variables, "check");
      assert.deepEqual({ code, err: withoutProgress(err) }, { code: 0, err: "" }, out);
      assert.match(out, /; [23] confirmations compared with the chain: all right$/m);
    });

    it("reports a replaced block", async () => {
      const other = (number: unknown) =>
        makeBlock({ number: Number(number), time: 1, miner: `0x${"77".repeat(20)}` }, []);
      proxy.intercept = ({ method, params: [number, isFull] }) => {
        if (method === "eth_getBlockByNumber") return { result: shownBlock(other(number), isFull) };
        return method === "eth_getBlockReceipts" ? { result: [] } : "pass";
      };
      const { code, out } = await journal(variables, "check");
      assert.equal(code, 1);
      const matched = out.match(
        /^entry \d+ \(confirmation of anchor \d+ in block \d+\): the chain has another block under that number$/gm,
      );
      assert.isAtLeast(matched?.length ?? 0, 2);
    });

    // Security, node: the node can return false data; a missing block confirms no proof
    it("concludes nothing from a block that the node withholds, nor from one that lacks its receipts", async () => {
      proxy.intercept = only(["eth_getBlockReceipts"], () => ({ result: [] }));
      const { code, err } = await journal(variables, "check");
      assert.equal(code, 2);
      assert.match(err, /inconsistent: its receipts are not those of its header/);
      proxy.intercept = only(["eth_getBlockByNumber", "eth_getBlockReceipts"], () => ({ result: null }));
      const withheld = await journal(variables, "check");
      assert.equal(withheld.code, 2);
      assert.match(withheld.err, /the node returns null to eth_getBlock\w+ of block \d+, but its newest block is \d+/);
    });

    it("reports no block that one of several nodes behind the address lacks", async () => {
      const behind = await nodeInMode("behind", chain.url);
      let isFirst = true;
      let lagging = 0;
      proxy.intercept = (call) => {
        const isHead = call.method === "eth_blockNumber";
        if (isHead && isFirst) isFirst = false;
        else if (lagging < LAGGING_RESPONSES) {
          if (isHead) lagging += 1;
          return behind(call);
        }
        return "pass";
      };
      const { code, out } = await journal(variables, "check");
      assert.equal(code, 0, out);
      assert.equal(lagging, LAGGING_RESPONSES);
    });

    it("reports an anchor that the chain lacks", async () => {
      proxy.intercept = only(["eth_call"], () => ({ result: `0x${"00".repeat(96)}` }));
      const { code, out } = await journal(variables, "check");
      assert.equal(code, 1);
      assert.match(out, /: the chain does not know its hash$/m);
    });

    it("fails while the node is unavailable", async () => {
      proxy.mode = "off";
      const { code, err } = await journal(variables, "check");
      assert.equal(code, 2, err);
      assert.match(err, /^journal: /);
      proxy.mode = "pass";
    });
  });

  describe("on a long journal", function () {
    let directory: string;
    before(async () => {
      directory = await temporaryDirectory();
      const database = await openSqlite(join(directory, "sealbook.sqlite"));
      await fillJournal(database, { proofs: 60_000, batchSize: 1_000 }, () => undefined);
      await database.destroy();
    });
    after(() => removeDirectory(directory));

    it("ends with what it found when it is interrupted", async () => {
      let outcome = { code: null as number | null, out: "" };
      // Until it is met in the middle: how long it takes to begin, no two machines agree on.
      for (let milliseconds = 200; outcome.code === null; milliseconds *= 1.5) {
        const running = start({ DATA_DIR: directory }, "check", "--offline");
        const timer = setTimeout(() => running.interrupt(), milliseconds);
        outcome = await running.outcome;
        clearTimeout(timer);
      }
      const { code, out } = outcome;
      assert.include([0, 130], code);
      assert.match(out, code === 130 ? /^interrupted: entries 1 to /m : /^entries 1 to 60060: /m);
    });
  });

  it("prints its help, and rejects wrong usage", async () => {
    const help = await journal({}, "check", "--help");
    assert.equal(help.code, 0);
    assert.match(help.out, /^Usage: journal check /);
    const directory = await temporaryDirectory();
    for (const args of [[], ["mend"], ["check", "--from", "3"], ["check"], ["check", "--offline"]]) {
      const { code, out } = await here({ DATA_DIR: directory }, ...args);
      assert.deepEqual({ code, out }, { code: 2, out: "" }, args.join(" "));
    }
    const file = join(directory, "sealbook.sqlite");
    const database = await openSqlite(file);
    await database.destroy();
    await writeFile(
      file,
      "no database at all, but rather long, longer than a header of one hundred bytes that a database begins with",
    );
    const { code, err } = await here({ DATA_DIR: directory }, "check", "--offline");
    assert.equal(code, 2);
    assert.match(err, /cannot be used/);
    await removeDirectory(directory);
  });
});
