import { spawn } from "node:child_process";
import { once } from "node:events";
import { toQuantity } from "ethers";
import { anvilBinary } from "../../server/chain/embedded/anvil-process.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import type { ChainNode } from "./remote-chain.ts";
import { rpcCall } from "./rpc.ts";

const MONEY = 10n ** 20n;
const TICK_MILLISECONDS = 250;

/** An Anvil with its default settings and fees, whose base fee a test sets. */
export interface FeeChain extends ChainNode {
  /** In wei; each block has it, from the next one on. */
  baseFee: bigint;
  /** Makes four blocks a second. Before, each transaction makes one. */
  start(): Promise<void>;
  /** Makes no more blocks. */
  pause(): Promise<void>;
  /** Makes one block. */
  mine(): Promise<void>;
}

export async function startFeeChain(): Promise<FeeChain> {
  const directory = await temporaryDirectory();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(anvilBinary(), ["--port", String(port), "--silent"], {
    env: { HOME: directory, TMPDIR: directory },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  const chainId = Number(await eventually(() => rpcCall(url, "eth_chainId")));
  const chain = { baseFee: 10n ** 9n };
  let work: Promise<unknown> = Promise.resolve();
  const setBaseFee = () => rpcCall(url, "anvil_setNextBlockBaseFeePerGas", toQuantity(chain.baseFee));
  const mine = async (): Promise<void> => {
    await setBaseFee();
    await rpcCall(url, "evm_mine");
    // A quote is about the next block.
    await setBaseFee();
  };
  let timer: NodeJS.Timeout | undefined;
  const pause = async (): Promise<void> => {
    clearInterval(timer);
    await work;
  };
  return Object.assign(chain, {
    chainId,
    url,
    async start() {
      await pause();
      await rpcCall(url, "evm_setAutomine", false);
      timer = setInterval(() => void (work = work.then(mine).catch(() => undefined)), TICK_MILLISECONDS);
    },
    pause,
    mine,
    async fund(address: string) {
      await rpcCall(url, "anvil_setBalance", address, toQuantity(MONEY));
    },
    async stop() {
      await pause();
      child.kill("SIGKILL");
      await exited;
      await removeDirectory(directory);
    },
  });
}
