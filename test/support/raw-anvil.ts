import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { anvilBinary } from "../../server/chain/embedded/anvil-process.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import type { ParsedJson } from "./parsed-json.ts";
import type { ChainNode } from "./remote-chain.ts";
import { rpcCall } from "./rpc.ts";

const QUEUE_MILLISECONDS = 1_000;

/** A foreign node: an unmodified Anvil, over HTTP. */
export interface RawAnvil {
  readonly chainId: number;
  readonly port: number;
  readonly http: string;
  stop(): Promise<void>;
}

/** A custom genesis block. */
export interface Genesis {
  readonly file: string;
  readonly chainId: number;
  readonly gasLimit: number;
}

/**
 * Starts a node.
 * @param blockPeriod Seconds between blocks; 0 makes a block of each transaction
 * @param hardfork Determines the fields of block headers
 * @param beginning The time of the first block, Unix seconds
 */
export async function startRawAnvil(
  blockPeriod = 0,
  hardfork = "cancun",
  genesis?: Genesis,
  beginning?: number,
): Promise<RawAnvil> {
  const chainId = genesis?.chainId ?? 7_327;
  const directory = await temporaryDirectory();
  const fixed = `--port 0 --base-fee 0 --gas-price 0 --hardfork ${hardfork} --accounts 1`;
  const period = blockPeriod === 0 ? [] : ["--block-time", String(blockPeriod)];
  // The node ignores the file's gas limit.
  const first = genesis === undefined ? [] : ["--init", genesis.file, "--gas-limit", String(genesis.gasLimit)];
  const time = beginning === undefined ? [] : ["--timestamp", String(beginning)];
  const child = spawn(
    anvilBinary(),
    [
      ...fixed.split(" "),
      ...period,
      ...first,
      ...time,
      "--chain-id",
      String(chainId),
      "--cache-path",
      join(directory, "cache"),
    ],
    { env: { HOME: directory, TMPDIR: directory, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  // The node continues to write: the pipe must be drained.
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<number>((resolve, reject) => {
    lines.on("line", (line) => {
      const listening = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line);
      if (listening !== null) resolve(Number(listening[1]));
    });
    exited.then(([code]) => reject(new Error(`Anvil ended with ${code}`)), reject);
  });
  const http = `http://127.0.0.1:${port}`;
  const watch = watchQueue(http);
  return {
    chainId,
    port,
    http,
    async stop() {
      clearInterval(watch);
      child.kill("SIGKILL");
      await exited;
      await removeDirectory(directory);
    },
  };
}

/**
 * Sends transactions again that Anvil keeps queued although their nonce is the next one. It happens under load, when
 * the one before is mined while Anvil checks them.
 */
function watchQueue(url: string): NodeJS.Timeout {
  let seen: ReadonlySet<string> = new Set();
  const look = async (): Promise<void> => {
    const { queued } = await rpcCall(url, "txpool_content");
    const stuck = new Set<string>();
    for (const [sender, byNonce] of Object.entries<ParsedJson>(queued)) {
      const next = Number(await rpcCall(url, "eth_getTransactionCount", sender, "latest"));
      if (byNonce[next] === undefined) continue;
      stuck.add(byNonce[next].hash);
      if (!seen.has(byNonce[next].hash)) continue;
      const raws = [];
      for (const { hash } of Object.values<ParsedJson>(byNonce))
        raws.push(await rpcCall(url, "eth_getRawTransactionByHash", hash));
      await rpcCall(url, "anvil_removePoolTransactions", sender);
      for (const raw of raws) await rpcCall(url, "eth_sendRawTransaction", raw);
    }
    seen = stuck;
  };
  // A node that a test has stopped has no queue.
  return setInterval(() => void look().catch(() => undefined), QUEUE_MILLISECONDS).unref();
}

/** Starts Anvil as a chain that a test can mine itself, with `evm_setAutomine` and `evm_mine`. */
export async function startRawNode(_directory?: string, beginning?: number): Promise<ChainNode> {
  const anvil = await startRawAnvil(0, "cancun", undefined, beginning);
  return { chainId: anvil.chainId, url: anvil.http, stop: () => anvil.stop() };
}
