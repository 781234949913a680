import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { fetchChainId, connectRpc } from "../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { anvilBinary } from "../../server/chain/embedded/anvil-process.ts";

const HARDHAT = join(import.meta.dirname, "../../node_modules/hardhat/dist/src/cli.js");
const BLOCK_MILLISECONDS = 250;
const READY_ATTEMPTS = 600;

/** A chain with fees, whose newest blocks can be replaced. */
export interface ReorganisingChain extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly rpc: Rpc;
  /** Number of the newest block so far. */
  readonly head: number;
  /** Begins to make blocks at a fixed period. */
  start(): void;
  /** Replaces the newest blocks. Their transactions are lost on Hardhat; Anvil keeps none either. */
  reorganise(depth: number): Promise<void>;
}

/** Starts a chain of Anvil or Hardhat. */
export async function startReorganising(name: "Anvil" | "Hardhat", port: number): Promise<ReorganisingChain> {
  const [program, args] =
    name === "Anvil"
      ? [anvilBinary(), ["--port", String(port), "--hardfork", "prague", "--silent"]]
      : [process.execPath, [HARDHAT, "node", "--port", String(port)]];
  const child = spawn(program, args, { stdio: "ignore" });
  const exited = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const rpc = connectRpc(url, await chainIdOf(url));
  const chain = name === "Anvil" ? anvilReorganisation(rpc) : hardhatReorganisation(rpc);
  let head = 0;
  /** Blocks and reorganisations come one after the other. */
  let turn = Promise.resolve();
  let isMining = false;
  const inTurn = (work: () => Promise<void>): Promise<void> => (turn = turn.then(work));
  const mine = async (): Promise<void> => {
    await chain.mine();
    head = Math.max(head, z.coerce.number().parse(await rpc.call("eth_blockNumber", [])));
  };
  let mining = Promise.resolve();
  const period = async (): Promise<void> => {
    while (isMining) {
      await inTurn(mine);
      await sleep(BLOCK_MILLISECONDS);
    }
  };
  return {
    name,
    url,
    rpc,
    get head() {
      return head;
    },
    start() {
      isMining = true;
      mining = period();
    },
    reorganise: (depth) => inTurn(() => chain.reorganise(depth)),
    async [Symbol.asyncDispose]() {
      isMining = false;
      await mining;
      rpc.close();
      child.kill("SIGKILL");
      await exited;
    },
  };
}

interface Reorganisation {
  mine(): Promise<void>;
  reorganise(depth: number): Promise<void>;
}

function anvilReorganisation(rpc: Rpc): Reorganisation {
  return {
    mine: async () => void (await rpc.call("evm_mine", [])),
    reorganise: async (depth) => void (await rpc.call("anvil_reorg", [depth, []])),
  };
}

/** Hardhat returns to the state before a block, and makes as many other blocks. */
function hardhatReorganisation(rpc: Rpc): Reorganisation {
  const snapshots: unknown[] = [];
  const mine = async (): Promise<void> => {
    snapshots.push(await rpc.call("evm_snapshot", []));
    await rpc.call("evm_mine", []);
  };
  return {
    mine,
    async reorganise(depth) {
      const [before] = snapshots.splice(-depth);
      await rpc.call("evm_revert", [before]);
      for (let count = 0; count < depth; count += 1) await mine();
    },
  };
}

async function chainIdOf(url: string): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetchChainId([url]);
    } catch (error) {
      if (attempt === READY_ATTEMPTS) throw error;
      await sleep(100);
    }
  }
}
