import { join } from "node:path";
import { hexlify, randomBytes, Wallet } from "ethers";
import { deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { startEmbeddedChain } from "../../server/chain/embedded/embedded-chain.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { FEES } from "./fees.ts";

const CHAIN_ID = 7326;

/** A node, run by any operator. */
export interface ChainNode {
  readonly chainId: number;
  readonly url: string;
  stop(): Promise<unknown>;
  /** Gives an account money, on a chain with fees. */
  fund?(address: string): Promise<void>;
}

/** A remote chain: with the contracts on it, and a proxy that can simulate faults. */
export interface RemoteChain {
  /** The node itself, without the proxy. */
  readonly url: string;
  readonly proxy: FaultyProxy;
  /** The server's data folder; it already has the contracts' addresses. */
  readonly directory: string;
  /** Configuration of the server. */
  readonly variables: EnvironmentVariables;
  readonly relayer: string;
  close(): Promise<void>;
}

/** Starts Sealbook's embedded chain in the process of the tests. */
function startHere(directory: string): Promise<ChainNode> {
  return startEmbeddedChain({ directory, port: 0, portSends: true, blockPeriodSeconds: 0, chainId: CHAIN_ID });
}

/**
 * Starts a chain and deploys the contracts.
 * @param start Starts the node, which can store its data in the folder
 */
export async function startRemoteChain(
  start: (directory: string) => Promise<ChainNode> = startHere,
): Promise<RemoteChain> {
  const directory = await temporaryDirectory();
  const node = await start(join(directory, "remote"));
  const relayer = new Wallet(hexlify(randomBytes(32)));
  const administrator = new Wallet(hexlify(randomBytes(32)));
  for (const { address } of [relayer, administrator]) await node.fund?.(address);
  const rpc = connectRpc(node.url, node.chainId);
  await deploy({
    rpc,
    administrator,
    relayer: relayer.address,
    lifetime: 3600,
    minimumToExtend: 15,
    fees: FEES,
    file: deploymentFile(directory, node.chainId),
    onDeployed: () => undefined,
  });
  rpc.close();
  const proxy = await startFaultyProxy(node.url);
  return {
    get url() {
      return proxy.target;
    },
    proxy,
    directory,
    variables: { RPC_URL: proxy.url, RELAYER_KEY: relayer.privateKey, ADMIN_KEY: administrator.privateKey },
    relayer: relayer.address,
    async close() {
      await proxy.close();
      await node.stop();
      await removeDirectory(directory);
    },
  };
}
