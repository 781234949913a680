import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { assertDeployed, deploymentFile, readDeployment } from "../chain/contracts/deployment.ts";
import { connectNodes, fetchChainId } from "../chain/rpc/connect.ts";
import { NODE, PeerTlsError, peerTlsOptions } from "../chain/rpc/peer-tls.ts";
import type { ChainConfig, NodeConfig } from "../config/config.ts";
import { SealbookError } from "../errors.ts";
import {
  applySessionRules,
  type ChainLink,
  type ChainLinkOptions,
  type ContractsLink,
  type OpenedKey,
  openRelayerKey,
} from "./chain-link.ts";
import { type SessionAdministration, SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import { embeddedKeys, openEmbeddedChain } from "./embedded-chain.ts";

/** Connects to the configured nodes and reads where the contracts are. */
async function openRemoteChain(
  { dataDirectory, administratorKey }: ChainConfig,
  { urls, tls: nodeTls }: Extract<NodeConfig, { kind: "remote" }>,
  { guard, onEvent }: ChainLinkOptions,
  resources: AsyncDisposableStack,
): Promise<Omit<ContractsLink, "close">> {
  const tls = peerTlsOptions(nodeTls, NODE);
  let reachable = true;
  const chainId = await fetchChainId(urls, tls).catch((error: unknown) => {
    // A server that starts while its node is unavailable still responds from its journal, and catches up later.
    reachable = false;
    onEvent({ kind: "unreachable", error });
    return onlyKnownChain(dataDirectory, error);
  });
  const rpc = connectNodes(urls, chainId, {
    tls,
    onFailOver: (event) => onEvent({ kind: "failed_over", event }),
    ...(guard === undefined ? {} : { wrap: (each) => guard.guard(each) }),
  });
  resources.defer(() => rpc.close());
  const file = deploymentFile(dataDirectory, chainId);
  const deployment = await readDeployment(file);
  if (deployment === undefined) {
    throw new SealbookError(
      "config_invalid",
      `${file} does not name the contracts of chain ${chainId}: deploy them with \`npx sealbook deploy\``,
    );
  }
  // A recorded chain that is not there is like a node that does not respond: the journal still is.
  if (reachable && guard?.isRecorded !== true) await assertDeployed(rpc, deployment, file);
  guard?.begin(deployment.contracts);
  if (reachable) {
    try {
      await rpc.identify?.();
    } catch (error) {
      if (error instanceof SealbookError && error.code === "conflict") throw error;
      onEvent({ kind: "unreachable", error });
    }
  }
  const administrator = administratorKey === undefined ? undefined : new Wallet(administratorKey);
  return { rpc, deployment, administrator, embedded: undefined };
}

/** Returns the id of the chain that the contracts were deployed to, when there is exactly one. */
async function onlyKnownChain(dataDirectory: string, cause: unknown): Promise<number> {
  const folder = join(dataDirectory, "deployments");
  const known = existsSync(folder) ? (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name)) : [];
  const [only, another] = known;
  if (only === undefined || another !== undefined) {
    const isDistrust = cause instanceof SealbookError && cause.cause instanceof PeerTlsError;
    const reason = isDistrust ? `no connection to RPC_URL: ${cause.message}` : "the node at RPC_URL does not respond";
    throw new SealbookError("chain_unavailable", `${reason}, and it is not known which chain it is`, { cause });
  }
  return Number.parseInt(only, 10);
}

/** Opens the chain for a relayer, or for work on a relayer's journal. */
export async function openChainLink(config: ChainConfig, options: ChainLinkOptions): Promise<ChainLink> {
  const contracts = await openContracts(config, options);
  try {
    const relayer = await relayerKeyOf(config);
    const link = {
      ...contracts,
      relayer,
      async close() {
        relayer.close?.();
        await contracts.close();
      },
      administration: administrationOf(contracts, config),
    };
    await applySessionRules(config.sessionRules, link);
    return link;
  } catch (error) {
    await contracts.close();
    throw error;
  }
}

/** Opens the chain: starts the embedded one and deploys the contracts, or connects to the configured one. */
export async function openContracts(config: ChainConfig, options: ChainLinkOptions): Promise<ContractsLink> {
  const opened = new AsyncDisposableStack();
  try {
    const { node } = config;
    const link =
      node.kind === "embedded"
        ? await openEmbeddedChain(config, node, options, opened)
        : await openRemoteChain(config, node, options, opened);
    const resources = opened.move();
    return { ...link, close: () => resources.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Returns the registry with the administrator's rights; `undefined` without the administrator's key. */
export function administrationOf(
  { rpc, deployment, administrator }: ContractsLink,
  { fees }: ChainConfig,
): SessionAdministration | undefined {
  const registry = new SessionRegistryClient(rpc, deployment.contracts.SessionRegistry);
  return administrator && registry.administeredBy(administrator, fees);
}

/** @throws SealbookError `config_invalid` when it is missing, or the administrator's key as well */
async function relayerKeyOf(config: ChainConfig): Promise<OpenedKey> {
  if (config.relayer === undefined && config.node.kind === "remote") {
    throw new SealbookError("config_invalid", "RELAYER_KEY is needed with RPC_URL");
  }
  const relayer =
    config.relayer === undefined ? (await embeddedKeys(config)).relayer : await openRelayerKey(config.relayer);
  if (config.administratorKey === undefined || new Wallet(config.administratorKey).address !== relayer.address)
    return relayer;
  throw new SealbookError("config_invalid", "ADMIN_KEY is the relayer's key too: each needs its own nonces and rights");
}
