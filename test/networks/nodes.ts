import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { anvilBinary } from "../../server/chain/embedded/anvil-process.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { rpcCall } from "../support/rpc.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { gethProgram, gethVersion } from "./geth.ts";

/** A running chain with fees, whose node has an unlocked account with money. */
export interface Network {
  readonly url: string;
  /** Name and version of the program. */
  readonly program: string;
  stop(): Promise<void>;
}

/** Seconds between the blocks of a network. */
const BLOCK_PERIOD = 1;
const ROOT = join(import.meta.dirname, "../..");

/** Starts Geth with the consensus of its developer mode: blocks at a fixed period, each final at once. */
export async function startGeth(): Promise<Network> {
  const program = gethProgram();
  return start(`Geth ${gethVersion(program)}`, (port, directory) =>
    spawn(
      program,
      [
        ...["--dev", "--dev.period", String(BLOCK_PERIOD), "--datadir", directory, "--ipcdisable", "--verbosity", "1"],
        ...["--http", "--http.port", String(port), "--http.api", "eth,net,web3"],
        ...["--port", "0", "--authrpc.port", "0", "--nodiscover"],
      ],
      { stdio: ["ignore", "ignore", "inherit"], env: SURROUNDINGS },
    ),
  );
}

/** Starts Anvil with the fees of Ethereum. */
export function startAnvil(): Promise<Network> {
  return start(`Anvil ${versionOf("@foundry-rs/anvil")}`, (port, directory) =>
    spawn(
      anvilBinary(),
      ["--port", String(port), "--block-time", String(BLOCK_PERIOD), "--hardfork", "prague", "--silent"],
      { stdio: ["ignore", "ignore", "inherit"], env: { ...SURROUNDINGS, HOME: directory, TMPDIR: directory } },
    ),
  );
}

/** Starts a Hardhat node, which makes a block of each transaction. */
export function startHardhat(): Promise<Network> {
  const cli = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
  return start(`Hardhat ${versionOf("hardhat")}`, (port) =>
    spawn(process.execPath, [cli, "node", "--port", String(port)], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
      env: SURROUNDINGS,
    }),
  );
}

async function start(program: string, launch: (port: number, directory: string) => ChildProcess): Promise<Network> {
  const directory = await temporaryDirectory();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = launch(port, directory);
  const exited = once(child, "exit");
  const ready = eventually(() => rpcCall(url, "eth_chainId"), 60_000);
  await Promise.race([
    ready,
    exited.then(([code]) => {
      throw new Error(`${program} ended with ${code}`);
    }),
  ]);
  return {
    url,
    program,
    async stop() {
      child.kill("SIGKILL");
      await exited;
      await removeDirectory(directory);
    },
  };
}

function versionOf(name: string): string {
  const main = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { version } = JSON.parse(readFileSync(main, "utf8")) as { readonly version: string };
  return version;
}
