import { only, startFaultyProxy } from "../support/faulty-proxy.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { assert } from "chai";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Wallet, ZeroAddress } from "ethers";
import { deploy, type Deployment, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { RelayerRoles } from "../../scripts/relayer/relayer-roles.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { NodeError } from "../../server/chain/rpc/node-error.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { relayerCommand } from "../../scripts/commands/relayer.ts";
import { runHere } from "../support/command.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { type RawAnvil, startRawAnvil } from "../support/raw-anvil.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import type { Outcome } from "./proofs-support.ts";
import { FEES } from "../support/fees.ts";

const CONTRACTS = ["SessionRegistry", "EventTable", "ProofAnchor"];
const ALL_GRANTED = { SessionRegistry: "granted", EventTable: "granted", ProofAnchor: "granted" };
const ALL_HELD = { SessionRegistry: "held before", EventTable: "held before", ProofAnchor: "held before" };
const ALL_REVOKED = { SessionRegistry: "revoked", EventTable: "revoked", ProofAnchor: "revoked" };
const NONE_HELD = { SessionRegistry: "not held", EventTable: "not held", ProofAnchor: "not held" };

type Run = (variables: EnvironmentVariables, ...args: string[]) => Promise<Outcome>;

const relayer: Run = (variables, ...args) => runHere(relayerCommand, variables, args);

/** Runs the script as a process. Nothing of this process's environment configures it. */
const relayerProcess: Run = async (variables, ...args) => {
  const child = spawn(process.execPath, [SEALBOOK, "relayer", ...args], {
    env: { ...SURROUNDINGS, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
};

/** Its JSON output on success. */
async function succeed(variables: EnvironmentVariables, ...args: string[]): Promise<ParsedJson> {
  return parsed(await relayer(variables, ...args, "--json"));
}

function parsed({ code, out, err }: Outcome): ParsedJson {
  assert.deepEqual({ code, err }, { code: 0, err: "" });
  return JSON.parse(out);
}

/** What it says when it fails. */
async function fail(variables: EnvironmentVariables, ...args: string[]): Promise<string> {
  const { code, out, err } = await relayer(variables, ...args);
  assert.deepEqual({ code, out }, { code: 1, out: "" }, err);
  return /^relayer: ([^\n]+)\n$/.exec(err)?.[1] ?? assert.fail(`not one sentence: ${err}`);
}

describe("relayer script", () => {
  it("makes keys, and stores none", async () => {
    const { code, out } = await relayer({}, "key");
    const [address, key = ""] = out.trim().split(" ");
    assert.deepEqual([code, new Wallet(key).address], [0, address]);
    const another = JSON.parse((await relayer({}, "key", "--json")).out);
    assert.equal(new Wallet(another.key).address, another.address);
    assert.notEqual(another.key, key);
  });

  describe("on an external node", () => {
    const administrator = Wallet.createRandom();
    const first = Wallet.createRandom().address;
    const second = Wallet.createRandom().address;
    let anvil: RawAnvil;
    let rpc: Rpc;
    let directory: string;
    let deployment: Deployment;
    let variables: EnvironmentVariables;

    before(async () => {
      anvil = await startRawAnvil();
      directory = await temporaryDirectory();
      rpc = connectRpc(anvil.http, anvil.chainId);
      deployment = await deploy({
        rpc,
        administrator,
        relayer: first,
        lifetime: 60,
        minimumToExtend: 15,
        fees: FEES,
        file: deploymentFile(directory, anvil.chainId),
        onDeployed: () => undefined,
      });
      variables = { DATA_DIR: directory, RPC_URL: anvil.http, ADMIN_KEY: administrator.privateKey };
    });
    after(async () => {
      rpc.close();
      await anvil.stop();
      await removeDirectory(directory);
    });

    const head = async (): Promise<number> => Number(await rpc.call("eth_blockNumber", []));
    const rolesOf = (address: string): Promise<string[]> => new RelayerRoles(rpc, deployment).heldBy(address);

    it("lists the relayer of the deployment, without any key", async () => {
      const keyless = { DATA_DIR: directory, RPC_URL: anvil.http };
      assert.deepEqual(await succeed(keyless, "list"), [
        { address: first, contracts: CONTRACTS, administrator: false },
      ]);
      assert.equal((await relayer(keyless, "list")).out, `${first}  SessionRegistry  EventTable  ProofAnchor\n`);
    });

    it("grants the role on every contract, once", async () => {
      assert.deepEqual(await succeed(variables, "grant", second.toLowerCase()), {
        address: second,
        contracts: ALL_GRANTED,
      });
      assert.deepEqual(await rolesOf(second), CONTRACTS);
      const before = await head();
      assert.deepEqual(await succeed(variables, "grant", second), { address: second, contracts: ALL_HELD });
      const { out } = await relayer(variables, "grant", second);
      assert.equal(
        out,
        CONTRACTS.map((name) => `${name.padEnd(16)} held before\n`).join("") +
          `There was nothing to do for ${second}; nothing was sent.\n`,
      );
      assert.equal(await head(), before, "nothing was sent");
    });

    it("completes a partial grant, and lists its state", async () => {
      const half = Wallet.createRandom().address;
      await new RelayerRoles(rpc, deployment).change("grant", "EventTable", half, administrator, FEES);
      const { out } = await relayer(variables, "list");
      assert.include(out.split("\n"), `${half}  -                EventTable  -`);
      const before = await head();
      assert.deepEqual(await succeed(variables, "grant", half), {
        address: half,
        contracts: { ...ALL_GRANTED, EventTable: "held before" },
      });
      assert.equal(await head(), before + 2);
      await succeed(variables, "revoke", half);
    });

    it("marks a relayer that is the administrator as well, and creates none", async () => {
      assert.match(
        await fail(variables, "grant", administrator.address),
        /the administrator's: a relayer needs a key of its own/,
      );
      const roles = new RelayerRoles(rpc, deployment);
      await roles.change("grant", "ProofAnchor", administrator.address, administrator, FEES);
      const mine = (await succeed(variables, "list")).find(
        ({ address }: { address: string }) => address === administrator.address,
      );
      assert.deepEqual(mine, { address: administrator.address, contracts: ["ProofAnchor"], administrator: true });
      assert.match(
        (await relayer(variables, "list")).out,
        new RegExp(`^${administrator.address} .* administrator as well$`, "m"),
      );
      await succeed(variables, "revoke", administrator.address);
      assert.deepEqual(await rolesOf(administrator.address), []);
    });

    it("revokes a relayer once, and the last one only with --force", async () => {
      assert.deepEqual(await succeed(variables, "revoke", second), { address: second, contracts: ALL_REVOKED });
      assert.deepEqual(await rolesOf(second), []);
      const before = await head();
      assert.deepEqual(await succeed(variables, "revoke", second), { address: second, contracts: NONE_HELD });
      assert.match(
        await fail(variables, "revoke", first),
        new RegExp(`^${first} is the only relayer of SessionRegistry, EventTable, ProofAnchor: .*--force`),
      );
      assert.equal(await head(), before, "nothing was sent");
      assert.deepEqual(await succeed(variables, "revoke", first, "--force"), {
        address: first,
        contracts: ALL_REVOKED,
      });
      assert.deepEqual(await succeed(variables, "list"), []);
      assert.equal((await relayer(variables, "list")).out, "No account may write to the contracts.\n");
      assert.deepEqual(await succeed(variables, "grant", first), { address: first, contracts: ALL_GRANTED });
    });

    it("reports an invalid address", async () => {
      const mistyped = first.replace(/[a-f]/i, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      assert.match(await fail(variables, "grant", "alice"), /^ADDRESS: "alice" is not a blockchain address/);
      assert.match(await fail(variables, "revoke", `${first}00`), /^ADDRESS: .* is not a blockchain address/);
      assert.match(await fail(variables, "grant", mistyped), /^ADDRESS: .* wrong checksum/);
      assert.match(await fail(variables, "grant", ZeroAddress), /^ADDRESS: the zero address has no key/);
    });

    it("reports a missing or unauthorized key, and sends nothing", async () => {
      const { ADMIN_KEY: _, ...keyless } = variables;
      const before = await head();
      assert.match(await fail(keyless, "grant", second), /^ADMIN_KEY is needed/);
      const other = Wallet.createRandom();
      const message = await fail({ ...variables, ADMIN_KEY: other.privateKey }, "grant", second);
      assert.match(
        message,
        new RegExp(`^ADMIN_KEY, whose address is ${other.address}, is not the administrator of SessionRegistry \\(0x`),
      );
      assert.notInclude(message, other.privateKey.slice(2));
      assert.equal(await head(), before);
    });

    it("concludes nothing from a node that lacks the contracts' blocks or their events", async () => {
      const proxy = await startFaultyProxy(variables.RPC_URL ?? "");
      try {
        for (const [method, result, message] of [
          ["eth_blockNumber", "0x0", /the node has blocks to 0 only; the contracts are of block \d+/],
          ["eth_getLogs", [], /does not return the events of the contracts' deployment/],
        ] as const) {
          proxy.intercept = only([method], () => ({ result }));
          assert.match(await fail({ ...variables, RPC_URL: proxy.url }, "list"), message);
        }
      } finally {
        await proxy.close();
      }
    });

    it("reports an unavailable node, and a chain without contracts", async () => {
      assert.match(await fail({ ...variables, RPC_URL: "http://127.0.0.1:9" }, "list"), /node does not respond/);
      const empty = join(directory, "empty");
      assert.match(
        await fail({ ...variables, DATA_DIR: empty }, "list"),
        /does not name the contracts of chain 7327: deploy them/,
      );
      const elsewhere = join(directory, "elsewhere");
      await mkdir(join(elsewhere, "deployments"), { recursive: true });
      const contracts = Object.fromEntries(CONTRACTS.map((name) => [name, second]));
      await writeFile(deploymentFile(elsewhere, anvil.chainId), JSON.stringify({ ...deployment, contracts }));
      assert.match(await fail({ ...variables, DATA_DIR: elsewhere }, "list"), /has no code there/);
    });
  });

  it("finds the relayers on a node that rejects queries of many blocks", async () => {
    const anvil = await startRawAnvil();
    const directory = await temporaryDirectory();
    const rpc = connectRpc(anvil.http, anvil.chainId);
    try {
      const administrator = Wallet.createRandom();
      const [first, second] = [Wallet.createRandom().address, Wallet.createRandom().address];
      const deployment = await deploy({
        rpc,
        administrator,
        relayer: first,
        lifetime: 60,
        minimumToExtend: 15,
        fees: FEES,
        file: deploymentFile(directory, anvil.chainId),
        onDeployed: () => undefined,
      });
      await rpc.call("anvil_mine", ["0x20"]);
      await new RelayerRoles(rpc, deployment).change("grant", "ProofAnchor", second, administrator, FEES);
      let refused = 0;
      const strict: Rpc = {
        chainId: rpc.chainId,
        close: () => undefined,
        async call(method, parameters) {
          const [query] = parameters;
          if (
            method === "eth_getLogs" &&
            typeof query === "object" &&
            query !== null &&
            "fromBlock" in query &&
            "toBlock" in query
          ) {
            if (Number(query.toBlock) - Number(query.fromBlock) >= 4) {
              refused += 1;
              throw new NodeError("query exceeds max block range 4", -32_005, undefined);
            }
          }
          return rpc.call(method, parameters);
        },
      };
      assert.deepEqual(
        (await new RelayerRoles(strict, deployment).list()).map(({ address }) => address),
        [first, second],
      );
      assert.isAbove(refused, 0);
    } finally {
      rpc.close();
      await anvil.stop();
      await removeDirectory(directory);
    }
  });

  describe("on the embedded chain", () => {
    let directory: string;
    let server: ServerProcess;
    let own: string;
    const other = Wallet.createRandom().address;

    before(async () => {
      directory = await temporaryDirectory();
      server = await startProcess(directory);
      const keys = JSON.parse(await readFile(join(directory, "keys.json"), "utf8"));
      own = new Wallet(keys.relayer).address;
    });
    after(async () => {
      await server.end("SIGTERM");
      await removeDirectory(directory);
    });

    it("works beside the running server, with its key", async () => {
      const variables = { DATA_DIR: directory };
      assert.deepEqual(parsed(await relayerProcess(variables, "grant", other, "--json")), {
        address: other,
        contracts: ALL_GRANTED,
      });
      const listed = [own, other].map((address) => ({ address, contracts: CONTRACTS, administrator: false }));
      assert.deepEqual(parsed(await relayerProcess(variables, "list", "--json")), listed);
    });

    it("works without the server", async () => {
      await server.end("SIGTERM");
      const variables = { DATA_DIR: directory, CHAIN_PORT: "0" };
      assert.deepEqual(parsed(await relayerProcess(variables, "revoke", other, "--json")), {
        address: other,
        contracts: ALL_REVOKED,
      });
      assert.deepEqual(parsed(await relayerProcess(variables, "list", "--json")), [
        { address: own, contracts: CONTRACTS, administrator: false },
      ]);
    });

    it("creates no chain in an empty folder", async () => {
      const empty = join(directory, "empty");
      assert.match(
        await fail({ DATA_DIR: empty }, "list"),
        /there are no contracts in .*empty yet: the first start of the server deploys them/,
      );
      assert.isFalse(existsSync(empty));
    });
  });

  it("prints its help, and rejects wrong usage", async () => {
    const help = await relayerProcess({}, "grant", "--help");
    assert.equal(help.code, 0);
    assert.match(help.out, /^Usage: relayer grant /);
    for (const args of [[], ["remove"], ["grant"], ["list", "--force"]]) {
      const { code, out } = await relayer({ DATA_DIR: "/nonexistent" }, ...args);
      assert.deepEqual({ code, out }, { code: 2, out: "" }, args.join(" "));
    }
  });
});
