import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ChainNode } from "./remote-chain.ts";

const MAIN = join(import.meta.dirname, "chain-main.ts");
const CHAIN_ID = 7328;

/** Starts a chain as a separate process; `stop` kills it without notice. */
export async function startChainProcess(directory: string): Promise<ChainNode> {
  const child = spawn(process.execPath, [MAIN, directory, String(CHAIN_ID)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    exited.then(([code]) => reject(new Error(`the chain ended with ${code}`)), reject);
  });
  return {
    chainId: CHAIN_ID,
    url,
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
