import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { NODE_MODES, nodeInMode } from "../support/node-modes.ts";
import { inParallel } from "../support/parallel.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { startFaultyProxy } from "../support/faulty-proxy.ts";
import { type Outcome, runScript, writeFiles } from "./proofs-support.ts";
import { LIES, telling } from "../support/lies.ts";

/** Longer than a command waits for a node that does not respond, with all of its attempts. */
const LONGEST_MILLISECONDS = 240_000;
/** Node ends a program that waits for nothing any more with this code. */
const UNSETTLED = 13;

const ROOT = join(import.meta.dirname, "../..");

/** Commands that query a node; the hash is that of a transaction. */
const COMMANDS: Readonly<Record<string, (hash: string) => readonly string[]>> = {
  "decode --tx": (hash) => ["decode", "--tx", hash],
  "decode --blocks": () => ["decode", "--blocks", "0-"],
  verify: () => ["verify", "a.txt"],
  "journal check": () => ["journal", "check"],
  "relayer list": () => ["relayer", "list"],
  "administrator show": () => ["administrator", "show"],
  "deploy check": () => ["deploy", "check"],
};

describe("commands that query a node", () => {
  let chain: RemoteChain;
  let server: TestServer;
  let hash: string;

  before(async () => {
    chain = await startRemoteChain();
    server = await startServer(chain.variables, { directory: chain.directory });
    const account = (await server.context.accounts?.create("full")) ?? assert.fail("no administrator");
    const token = await server.login({ login: account.login, password: account.password });
    const record = { code: "c", topic: "t", payload: {} };
    content(await server.call(ROUTES.store, { token }, record), ROUTES.store);
    const search = { search: { target: "1", value: "c", locations: true } };
    const { tparams } = content(await server.call(ROUTES.search, { token }, search), ROUTES.search);
    hash = tparams.locations[0].tx_hash;
    await writeFiles(chain.directory, { "a.txt": "a" });
    assert.equal((await runScript("prove", chain.directory, "a.txt", "--url", server.url)).code, 0);
    for (const document of freshDocuments(3)) await server.post("/api/v1/proof", document);
    await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.journal.pending, 0));
    await server.stop("keep");
  });
  after(() => chain.close());

  /** Runs a command as a process of its own; `null` as its code when it did not end in time. */
  const run = async (args: readonly string[], url: string): Promise<Outcome> => {
    const variables: EnvironmentVariables = { ...chain.variables, RPC_URL: url, DATA_DIR: chain.directory };
    const child = spawn(process.execPath, [SEALBOOK, ...args], {
      // Files are named from the folder; Hardhat has its configuration in the repository.
      cwd: args[0] === "deploy" ? ROOT : chain.directory,
      env: { ...SURROUNDINGS, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LONGEST_MILLISECONDS,
      killSignal: "SIGKILL",
    });
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  };

  it("succeed while it responds", async () => {
    for (const [name, args] of Object.entries(COMMANDS)) {
      const { code, out, err } = await run(args(hash), chain.proxy.url);
      assert.equal(code, 0, `${name}: ${out}${err}`);
    }
  });

  for (const mode of NODE_MODES)
    describe(`with the mode "${mode}"`, () => {
      inParallel(
        Object.fromEntries(
          Object.entries(COMMANDS).map(([name, args]) => [
            name,
            async () => {
              // Commands that lock the folder take turns; each has a node of its own.
              const proxy = await startFaultyProxy(chain.url);
              try {
                proxy.intercept = await nodeInMode(mode, chain.url);
                const { code, out, err } = await run(args(hash), proxy.url);
                const all = `${name}, ${mode}, code ${code}:\n${out}${err}`;
                assert.isNotNull(code, `it did not end: ${all}`);
                assert.notEqual(code, UNSETTLED, all);
                assert.notMatch(all, /unsettled top-level await|^\s+at .*\.ts:\d+/m, "no stack");
                // What was asked of an old block is still true.
                if (mode !== "behind") assert.oneOf(code, [1, 2, 3], all);
                if (code !== 0) assert.match(out + err, /\S/, all);
              } finally {
                await proxy.close();
              }
            },
          ]),
        ),
      );
    });

  it("end with a message, and no stack, while it lies in any field", async () => {
    const lies = [...LIES];
    const worker = async (): Promise<void> => {
      const proxy = await startFaultyProxy(chain.url);
      try {
        for (let lie = lies.pop(); lie !== undefined; lie = lies.pop()) {
          proxy.intercept = telling(lie);
          const { code, out, err } = await run(["decode", "--blocks", "0-"], proxy.url);
          const all = `${lie.title}, code ${code}:\n${out}${err}`;
          assert.oneOf(code, [0, 1, 3], all);
          assert.notMatch(all, /unsettled top-level await|^\s+at .*\.ts:\d+/m);
          assert.match(err, /^decode: \S/m, all);
        }
      } finally {
        await proxy.close();
      }
    };
    await Promise.all([worker(), worker(), worker()]);
  });
});
