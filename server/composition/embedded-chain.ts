import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { DEFAULT_SESSION_RULES, deploy, deploymentFile } from "../chain/contracts/deployment.ts";
import { type EmbeddedChain, startEmbeddedChain, connectInProcess } from "../chain/embedded/embedded-chain.ts";
import { loadOrCreateKeys } from "../chain/keys/relayer-key.ts";
import { fetchChainId, connectRpc } from "../chain/rpc/connect.ts";
import type { ChainConfig, NodeConfig } from "../config/config.ts";
import { embeddedChainUrlFile } from "../config/embedded-chain-url.ts";
import { SealbookError } from "../errors.ts";
import { writeFileDurably } from "../kit/durable-file.ts";
import { waitFor } from "../kit/time.ts";
import { type ChainLinkOptions, type ContractsLink, type OpenedKey, openRelayerKey } from "./chain-link.ts";

/** Chain id of the embedded chain; no public network uses it. */
export const EMBEDDED_CHAIN_ID = 7325;
const OTHER_PROCESS_WAIT = { intervalMilliseconds: 200, timeoutMilliseconds: 30_000 };

/** Starts the embedded chain, or connects to that of another process, and deploys the contracts that it lacks. */
export async function openEmbeddedChain(
  config: ChainConfig,
  node: Extract<NodeConfig, { kind: "embedded" }>,
  options: ChainLinkOptions,
  resources: AsyncDisposableStack,
): Promise<Omit<ContractsLink, "close">> {
  const { dataDirectory, sessionRules: rules, fees } = config;
  const urlFile = embeddedChainUrlFile(node.directory);
  const embedded = await startOrShare(config, node, options, resources);
  const rpc =
    embedded !== undefined ? connectInProcess(embedded) : connectRpc(await urlOfOther(urlFile), EMBEDDED_CHAIN_ID);
  resources.defer(() => rpc.close());
  const keys = await embeddedKeys(config);
  const administrator = new Wallet(keys.administrator);
  const deployment = await deploy({
    rpc,
    administrator,
    relayer: keys.relayer.address,
    ...(rules ?? DEFAULT_SESSION_RULES),
    fees,
    file: deploymentFile(dataDirectory, rpc.chainId),
    onDeployed: (contract, address) => options.onEvent({ kind: "deployed", contract, address }),
  });
  options.guard?.begin(deployment.contracts);
  // Once: in this process it does not become another chain.
  await options.guard?.guard(rpc).identify?.();
  return { rpc, deployment, administrator, embedded };
}

/** @returns `undefined` when another process runs the chain and `share` allows to use it there */
async function startOrShare(
  { clockLimitMilliseconds }: ChainConfig,
  node: Extract<NodeConfig, { kind: "embedded" }>,
  { share, clock, onEvent }: ChainLinkOptions,
  resources: AsyncDisposableStack,
): Promise<EmbeddedChain | undefined> {
  try {
    const embedded = await startEmbeddedChain({
      ...node,
      chainId: EMBEDDED_CHAIN_ID,
      ...(clock === undefined ? {} : { clock }),
      clockLimitMilliseconds,
      onEvent: (event) => onEvent({ kind: "embedded", event }),
    });
    resources.defer(() => embedded.stop());
    await writeFileDurably(embeddedChainUrlFile(node.directory), [Buffer.from(embedded.ownerUrl)]);
    return embedded;
  } catch (error) {
    if (share && error instanceof SealbookError && error.code === "chain_in_use") return undefined;
    throw error;
  }
}

/** Waits for the embedded chain of another process, which may be starting, and returns the address of its JSON-RPC. */
async function urlOfOther(urlFile: string): Promise<string> {
  const url = await waitFor(async () => {
    const written = await readFile(urlFile, "utf8").catch(() => undefined);
    if (written === undefined) return undefined;
    const chainId = await fetchChainId(written).catch(() => undefined);
    return chainId === EMBEDDED_CHAIN_ID ? written : undefined;
  }, OTHER_PROCESS_WAIT);
  if (url !== undefined) return url;
  throw new SealbookError("chain_unavailable", "another process has the embedded chain, but it does not respond");
}

/** File of the keys generated for the embedded chain. */
export function keysFile(dataDirectory: string): string {
  return join(dataDirectory, "keys.json");
}

/** Returns the keys for the embedded chain: the configured ones, else generated ones. */
export async function embeddedKeys({
  dataDirectory,
  relayer: source,
  administratorKey,
}: ChainConfig): Promise<{ readonly relayer: OpenedKey; readonly administrator: string }> {
  const generated = await loadOrCreateKeys(keysFile(dataDirectory));
  const relayer = await openRelayerKey(source ?? { kind: "environment", key: generated.relayer });
  return { relayer, administrator: administratorKey ?? generated.administrator };
}
