import { SEALBOOK } from "../../support/sealbook.ts";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { assert } from "chai";
import { getCreateAddress, keccak256, Wallet } from "ethers";
import type { Command } from "commander";
import { deployCommand } from "../../../scripts/deploy/command.ts";
import { relayerCommand } from "../../../scripts/commands/relayer.ts";
import type { EnvironmentVariables } from "../../../server/config/environment.ts";
import type { Terminal } from "../../../scripts/commands/run-command.ts";
import { runHere } from "../../support/command.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { type FeeChain, startFeeChain } from "../../support/fee-chain.ts";
import { rpcCall } from "../../support/rpc.ts";
import { SURROUNDINGS } from "../../support/surroundings.ts";

const ROOT = join(import.meta.dirname, "../../..");
const administrator = Wallet.createRandom();
const relayer = Wallet.createRandom();
const stranger = Wallet.createRandom();
const other = Wallet.createRandom();

const command = (terminal: Terminal): Command => deployCommand(terminal);
const deploy = (variables: EnvironmentVariables, ...args: readonly string[]) => runHere(command, variables, args);

/** Starts the command in a process that can be killed. */
function startDeployment(variables: EnvironmentVariables): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [SEALBOOK, "deploy"], {
    cwd: ROOT,
    env: { ...SURROUNDINGS, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Returns the hash of the first transaction, which the command prints before it is sent; `undefined` without one. */
async function firstTransaction({ stdout }: { readonly stdout: Readable }): Promise<string | undefined> {
  for await (const line of createInterface(stdout)) {
    const [, hash] = /^Transaction (0x[0-9a-f]{64})$/.exec(line) ?? [];
    if (hash !== undefined) return hash;
  }
  return undefined;
}

interface DeploymentJson {
  readonly firstBlock: number;
  readonly contracts: Readonly<Record<string, string>>;
  readonly deployed: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

describe("deployed contracts", () => {
  let chain: FeeChain;
  let directory: string;
  let variables: Record<string, string>;
  let file: string;
  let deployment: DeploymentJson;

  before(async () => {
    chain = await startFeeChain();
    directory = await temporaryDirectory();
    file = join(directory, "deployments", `${chain.chainId}.json`);
    const keys = { ADMIN_KEY: administrator.privateKey, RELAYER_KEY: relayer.privateKey };
    variables = { RPC_URL: chain.url, DATA_DIR: directory, ...keys };
  });
  after(async () => {
    await chain?.stop();
    await removeDirectory(directory);
  });

  const addresses = (from: DeploymentJson["contracts"]): string[] => [
    ...["--session-registry", from.SessionRegistry ?? "", "--event-table", from.EventTable ?? ""],
    ...["--proof-anchor", from.ProofAnchor ?? ""],
  ];

  it("are not deployed by an account without money, whose address is named", async () => {
    const { code, err } = await deploy(variables);
    assert.equal(code, 1);
    assert.include(err, `${administrator.address} cannot pay`);
  });

  it("are deployed once when the deployment is killed after each transaction", async () => {
    await chain.fund?.(administrator.address);
    await chain.start();
    for (const isSent of [false, true, false, true, true]) {
      const child = startDeployment(variables);
      const hash = await firstTransaction(child);
      if (isSent && hash !== undefined)
        await eventually(async () => assert.isNotNull(await rpcCall(chain.url, "eth_getTransactionByHash", hash)));
      child.kill("SIGKILL");
      await once(child, "close");
    }
    const { code, err } = await deploy(variables);
    assert.equal(code, 0, err);
    deployment = JSON.parse(readFileSync(file, "utf8")) as DeploymentJson;
    const nonce = Number(await rpcCall(chain.url, "eth_getTransactionCount", administrator.address, "latest"));
    assert.equal(nonce, 3);
    const made = [0, 1, 2].map((each) => getCreateAddress({ from: administrator.address, nonce: each }));
    assert.sameMembers(Object.values(deployment.contracts), made);
  });

  it("are in a file with transactions, constructor arguments, compiler and hash of the bytecode", async () => {
    const { SessionRegistry, EventTable, ProofAnchor } = deployment.deployed;
    const admin = administrator.address;
    assert.deepEqual(SessionRegistry?.["constructorArguments"], [admin, "86400", relayer.address, "60", "15"]);
    assert.deepEqual(EventTable?.["constructorArguments"], [
      deployment.contracts.SessionRegistry,
      admin,
      "86400",
      relayer.address,
    ]);
    assert.deepEqual(ProofAnchor?.["constructorArguments"], [admin, "86400", relayer.address]);
    for (const [name, address] of Object.entries(deployment.contracts)) {
      const { transaction, block, compiler, bytecodeHash } = deployment.deployed[name] ?? {};
      const receipt = (await rpcCall(chain.url, "eth_getTransactionReceipt", transaction)) as Record<string, string>;
      assert.equal(receipt["contractAddress"]?.toLowerCase(), address.toLowerCase());
      assert.equal(Number(receipt["blockNumber"]), block);
      assert.equal(bytecodeHash, keccak256(String(await rpcCall(chain.url, "eth_getCode", address, "latest"))));
      assert.equal(compiler, "0.8.37");
    }
    const blocks = Object.values(deployment.deployed).map(({ block }) => Number(block));
    assert.equal(deployment.firstBlock, Math.min(...blocks));
  });

  it("agree with the build and the configuration", async () => {
    const { code, out } = await deploy(variables, "check");
    assert.equal(code, 0, out);
    assert.include(out, `ok       ProofAnchor ${deployment.contracts.ProofAnchor} has the code of this build`);
    assert.include(out, `ok       RELAYER_KEY ${relayer.address} has the relayer's role on all contracts`);
    assert.include(out, `ok       ADMIN_KEY ${administrator.address} has the administrator's role on all contracts`);
    assert.notInclude(out, "another");
  });

  it("differ from a configuration with other keys and rules, which the check names", async () => {
    const { code, out } = await deploy(
      { ...variables, RELAYER_KEY: stranger.privateKey, ADMIN_KEY: other.privateKey, SESSION_LIFETIME: "61" },
      "check",
    );
    assert.equal(code, 1);
    const all = "SessionRegistry, EventTable, ProofAnchor";
    assert.include(out, `DIFFERS  RELAYER_KEY ${stranger.address} lacks the relayer's role on ${all}`);
    assert.include(out, `DIFFERS  ADMIN_KEY ${other.address} lacks the administrator's role on ${all}`);
    assert.include(out, `ok       another relayer ${relayer.address} has the relayer's role on ${all}`);
    assert.include(
      out,
      `DIFFERS  another administrator ${administrator.address} has the administrator's role on ${all}`,
    );
    assert.include(
      out,
      `DIFFERS  another registrar ${administrator.address} has the registrar's role on SessionRegistry`,
    );
    assert.match(out, /DIFFERS {2}sessions live 60 s .*, not 61 s and 15 s/);
    await chain.fund?.(administrator.address);
    const granted = await runHere(relayerCommand, variables, ["grant", stranger.address]);
    assert.equal(granted.code, 0, granted.err);
    const { out: json } = await deploy({ ...variables, RELAYER_KEY: stranger.privateKey }, "check", "--json");
    assert.isTrue((JSON.parse(json) as { ok: boolean }[]).every(({ ok }) => ok));
  });

  it("are attached by another installation, with the same file", async () => {
    const another = await temporaryDirectory();
    const elsewhere = { RPC_URL: chain.url, DATA_DIR: another };
    const { code, err } = await deploy(elsewhere, "attach", ...addresses(deployment.contracts));
    assert.equal(code, 0, err);
    const written = join(another, "deployments", `${chain.chainId}.json`);
    assert.deepEqual(JSON.parse(readFileSync(written, "utf8")), deployment);
    const again = await deploy(elsewhere, "attach", ...addresses(deployment.contracts));
    assert.include(again.out, "nothing changed");
    const otherAnchor = { ...deployment.contracts, ProofAnchor: stranger.address };
    const third = await deploy(elsewhere, "attach", ...addresses(otherAnchor));
    assert.equal(third.code, 1);
    assert.include(third.err, `names ${deployment.contracts.ProofAnchor} as ProofAnchor; nothing was written`);
    await removeDirectory(another);
  });

  it("are not attached when they are others, or do not belong together", async () => {
    const { SessionRegistry = "", EventTable = "" } = deployment.contracts;
    const another = await temporaryDirectory();
    const elsewhere = { ...variables, DATA_DIR: another };
    const attach = (contracts: DeploymentJson["contracts"]) => deploy(elsewhere, "attach", ...addresses(contracts));
    const swapped = await attach({ SessionRegistry, EventTable, ProofAnchor: EventTable });
    assert.equal(swapped.code, 1);
    assert.include(swapped.out, `DIFFERS  ProofAnchor ${EventTable} has other code than this build`);
    const absent = await attach({ SessionRegistry, EventTable, ProofAnchor: stranger.address });
    assert.include(absent.out, `DIFFERS  ProofAnchor ${stranger.address} is not a contract on this chain`);
    const mistyped = await attach({ SessionRegistry, EventTable, ProofAnchor: "0x12" });
    assert.include(mistyped.err, '--proof-anchor: "0x12" is not a blockchain address');

    const secondSet = await deploy(elsewhere);
    assert.equal(secondSet.code, 0, secondSet.err);
    const written = join(another, "deployments", `${chain.chainId}.json`);
    const second = JSON.parse(readFileSync(written, "utf8")) as DeploymentJson;
    await rm(written);
    const mixed = await attach({ ...second.contracts, SessionRegistry });
    assert.equal(mixed.code, 1);
    assert.include(mixed.out, `DIFFERS  EventTable ${second.contracts.EventTable} asks the SessionRegistry at`);
    await removeDirectory(another);
  });

  it("are not deployed over a file that names some of them only, or is of another chain", async () => {
    const another = await temporaryDirectory();
    const written = join(another, "deployments", `${chain.chainId}.json`);
    await cp(join(directory, "deployments"), join(another, "deployments"), { recursive: true });
    const { EventTable: _, ...some } = deployment.contracts;
    await writeFile(written, JSON.stringify({ ...deployment, contracts: some }));
    const partial = await deploy({ ...variables, DATA_DIR: another });
    assert.include(partial.err, `${written} names some of the contracts only`);
    await writeFile(written, JSON.stringify({ ...deployment, contracts: { ...some, EventTable: stranger.address } }));
    const foreign = await deploy({ ...variables, DATA_DIR: another });
    assert.match(foreign.err, /has no code there: this is another chain, .*; to deploy anew, remove that file/);
    await removeDirectory(another);
  });

  it("need the address of a node, but for the embedded chain, whose contracts the server deploys", async () => {
    const another = await temporaryDirectory();
    const { err } = await deploy({ DATA_DIR: another });
    assert.include(
      err,
      "RPC_URL, the address of the network's node, is needed; the server deploys to the embedded chain",
    );
    await removeDirectory(another);
  });
});

describe("an interrupted deployment", () => {
  it("is not continued with another relayer; the folder to remove is named", async () => {
    const chain = await startFeeChain();
    const directory = await temporaryDirectory();
    try {
      await chain.fund?.(administrator.address);
      await rpcCall(chain.url, "evm_setAutomine", false);
      const keys = { ADMIN_KEY: administrator.privateKey, RELAYER_KEY: relayer.privateKey };
      const variables = { RPC_URL: chain.url, DATA_DIR: directory, ...keys };
      const child = startDeployment(variables);
      await firstTransaction(child);
      child.kill("SIGKILL");
      await once(child, "close");
      await chain.mine();
      const { code, err } = await deploy({ ...variables, RELAYER_KEY: stranger.privateKey });
      assert.equal(code, 1);
      const folder = join(directory, "deployments", `${chain.chainId}-unfinished`);
      assert.match(err, /has been changed/);
      assert.include(err, `to begin the deployment anew, remove ${folder}`);
      await rm(folder, { recursive: true });
      await rpcCall(chain.url, "evm_setAutomine", true);
      const anew = await eventually(() => deploy({ ...variables, RELAYER_KEY: stranger.privateKey }));
      assert.equal(anew.code, 0, anew.err);
    } finally {
      await chain.stop();
      await removeDirectory(directory);
    }
  });
});
