import { assert } from "chai";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Wallet } from "ethers";
import { type EmbeddedChain, startEmbeddedChain } from "../../server/chain/embedded/embedded-chain.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content } from "../support/envelope.ts";
import { rpcCall } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const ROOT = join(import.meta.dirname, "../..");
const HARDHAT = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
const NAMES = ["SessionRegistry", "EventTable", "ProofAnchor"] as const;
const NOTHING_CHANGED = "Everything was deployed before; nothing changed.";

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface DeploymentContent {
  readonly chainId: number;
  readonly firstBlock: number;
  readonly contracts: Readonly<Record<string, string>>;
}

type Variables = EnvironmentVariables & { readonly TMPDIR?: string };

/** Runs a script to its end. Nothing of this process's environment configures it. */
async function run(args: readonly string[], variables: Variables): Promise<Outcome> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...SURROUNDINGS, NO_COLOR: "1", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

/** Deploys to a network of the Hardhat configuration; to one that ends with the command when none is named. */
function deployTo(network: string | undefined, variables: Variables): Promise<Outcome> {
  const args = network === undefined ? [] : ["--network", network];
  // Several at once: compilations delete each other's cache.
  return run([HARDHAT, "run", "--no-compile", "scripts/deploy.ts", ...args], variables);
}

/** What it says when it fails. */
function refusal({ code, out, err }: Outcome): string {
  assert.equal(code, 1, out);
  assert.notMatch(out, /0x[0-9a-fA-F]{40}/);
  const message = /^deploy: ([^\n]+)\n$/.exec(err)?.[1];
  return message ?? assert.fail(`not one sentence: ${err}`);
}

/** The addresses that it printed. */
function printed({ code, out, err }: Outcome): Record<string, string> {
  assert.deepEqual({ code, err }, { code: 0, err: "" }, out);
  const addresses: Record<string, string> = {};
  for (const name of NAMES) {
    addresses[name] = new RegExp(`^${name} +(0x[0-9a-fA-F]{40})$`, "m").exec(out)?.[1] ?? assert.fail(out);
  }
  return addresses;
}

/** A file's bytes, and its modification time. */
async function state(file: string): Promise<{ bytes: string; inode: number; written: number }> {
  const { ino, mtimeMs } = await stat(file);
  return { bytes: await readFile(file, "utf8"), inode: ino, written: mtimeMs };
}

async function readDeploymentFile(file: string): Promise<DeploymentContent> {
  return JSON.parse(await readFile(file, "utf8")) as DeploymentContent;
}

async function assertStanding(url: string, addresses: Readonly<Record<string, string>>): Promise<void> {
  for (const name of NAMES) assert.notEqual(await rpcCall(url, "eth_getCode", addresses[name], "latest"), "0x", name);
}

/** A port on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("deploy script", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));

  it("deploys to a temporary network, and stores nothing", async () => {
    const temporary = join(directory, "tmp");
    const data = join(directory, "data");
    await mkdir(temporary);
    const outcome = await deployTo(undefined, { DATA_DIR: data, TMPDIR: temporary });
    const addresses = printed(outcome);
    assert.lengthOf([...new Set(Object.values(addresses))], 3);
    assert.match(outcome.out, /^Contracts deployed: 3\.$/m);
    assert.match(outcome.out, /the addresses are not kept\.\n$/);
    assert.isFalse(existsSync(data));
    assert.deepEqual(
      (await readdir(temporary)).filter((name) => name.startsWith("sealbook")),
      [],
    );
  });

  it("reports an unreachable or missing node, and writes nothing", async () => {
    const data = join(directory, "data");
    const port = String(await deadPort());
    const [unavailable, unnamed] = await Promise.all([
      deployTo("sealbook", { DATA_DIR: data, CHAIN_PORT: port }),
      deployTo("remote", { DATA_DIR: data }),
    ]);
    assert.equal(refusal(unavailable), `the node at http://127.0.0.1:${port} does not respond`);
    assert.match(refusal(unnamed), /^RPC_URL\b.* is needed$/);
    assert.isFalse(existsSync(data));
  });

  describe("beside a running server", () => {
    let server: TestServer;

    before(async () => {
      server = await startServer();
    });
    after(() => server.stop());

    it("finds all contracts on its chain, and changes nothing", async () => {
      const file = join(server.directory, "deployments", "7325.json");
      const [before, head] = [await state(file), await rpcCall(server.chainUrl, "eth_blockNumber")];
      // On whatever port that chain is.
      const outcome = await deployTo("sealbook", { DATA_DIR: server.directory });
      assert.deepEqual(printed(outcome), (await readDeploymentFile(file)).contracts);
      assert.include(outcome.out, NOTHING_CHANGED);
      assert.include(outcome.out, file);
      assert.deepEqual(await state(file), before);
      assert.equal(await rpcCall(server.chainUrl, "eth_blockNumber"), head);
      assert.deepEqual(await readdir(join(server.directory, "deployments")), ["7325.json"]);
      content(await server.call(ROUTES.auth, server.demo), ROUTES.auth);
    });
  });

  describe("on another chain", () => {
    const CHAIN_ID = 73_261;
    const keys = { RELAYER_KEY: Wallet.createRandom().privateKey, ADMIN_KEY: Wallet.createRandom().privateKey };
    let kept: string;
    let data: string;
    let file: string;
    let chain: EmbeddedChain;
    let first: Outcome;

    const deploy = (variables: Variables = keys): Promise<Outcome> =>
      deployTo("remote", { DATA_DIR: data, RPC_URL: chain.url, ...variables });
    const head = async (): Promise<number> => Number(await rpcCall(chain.url, "eth_blockNumber"));

    before(async () => {
      kept = await temporaryDirectory();
      data = join(kept, "data");
      file = join(data, "deployments", `${CHAIN_ID}.json`);
      chain = await startEmbeddedChain({
        directory: join(kept, "chain"),
        port: 0,
        blockPeriodSeconds: 0,
        chainId: CHAIN_ID,
      });
    });
    after(async () => {
      await chain.stop();
      await removeDirectory(kept);
    });

    it("names the missing key, and deploys nothing", async () => {
      const { RELAYER_KEY, ADMIN_KEY } = keys;
      const [administrator, relayer] = await Promise.all([deploy({ RELAYER_KEY }), deploy({ ADMIN_KEY })]);
      assert.match(refusal(administrator), /\bADMIN_KEY\b.*\bneeded\b/);
      assert.match(refusal(relayer), /\bRELAYER_KEY\b.*\bneeded\b/);
      for (const { err } of [administrator, relayer]) {
        for (const key of [RELAYER_KEY, ADMIN_KEY]) assert.notInclude(err, key.slice(2));
      }
      assert.isFalse(existsSync(data));
      assert.equal(await head(), 0);
    });

    it("deploys the contracts and stores their addresses", async () => {
      first = await deploy();
      assert.match(first.out, /^Contracts deployed: 3\.$/m);
      assert.include(first.out, file);
      const { chainId, firstBlock, contracts } = await readDeploymentFile(file);
      assert.deepEqual(contracts, printed(first));
      assert.equal(chainId, CHAIN_ID);
      assert.isAtLeast(firstBlock, 1);
      assert.isAtMost(firstBlock, await head());
      await assertStanding(chain.url, contracts);
      // No keys, no database, no chain.
      assert.deepEqual((await readdir(data, { recursive: true })).sort(), [
        "deployments",
        join("deployments", `${CHAIN_ID}.json`),
      ]);
    });

    it("changes and writes nothing the second time", async () => {
      const [before, blocks] = [await state(file), await head()];
      const second = await deploy();
      assert.deepEqual(printed(second), printed(first));
      assert.include(second.out, NOTHING_CHANGED);
      assert.deepEqual(await state(file), before);
      assert.equal(await head(), blocks);
    });

    it("completes an interrupted deployment", async () => {
      const whole = await readDeploymentFile(file);
      const { SessionRegistry, EventTable } = whole.contracts;
      const other = join(directory, "deployments", `${CHAIN_ID}.json`);
      await mkdir(join(directory, "deployments"));
      await writeFile(other, JSON.stringify({ ...whole, contracts: { SessionRegistry, EventTable } }));
      const addresses = printed(await deploy({ ...keys, DATA_DIR: directory }));
      assert.deepInclude(addresses, { SessionRegistry, EventTable });
      assert.notEqual(addresses["ProofAnchor"], whole.contracts["ProofAnchor"]);
      assert.deepEqual(await readDeploymentFile(other), { ...whole, contracts: addresses });
      await assertStanding(chain.url, addresses);
    });

    it("writes the files with which a server starts", async () => {
      const { RELAYER_KEY, ADMIN_KEY } = keys;
      const server = await startServer({ RPC_URL: chain.url, RELAYER_KEY }, { directory: data });
      try {
        const script = join(ROOT, "scripts/account.ts");
        const remote = { DATA_DIR: data, RPC_URL: chain.url, RELAYER_KEY };
        const keyless = await run([script, "create"], remote);
        assert.deepEqual({ code: keyless.code, out: keyless.out }, { code: 1, out: "" });
        assert.match(keyless.err, /^account: ADMIN_KEY [^\n]+\n$/);
        const { code, out, err } = await run([script, "create", "--json"], { ...remote, ADMIN_KEY });
        assert.deepEqual({ code, err }, { code: 0, err: "" });
        const { login, password } = JSON.parse(out) as { login: string; password: string };
        const token = await server.login({ login, password });
        content(await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: { a: 1 } }), ROUTES.store);
        const proof = await server.post("/api/v1/proof", {
          document_id: "d",
          hash: "ab".repeat(32),
          metadata: { timestamp: 1 },
        });
        assert.equal(proof.status, 201, proof.text);
      } finally {
        await server.stop("keep");
      }
    });
  });
});
