import { Wallet } from "ethers";
import { type SessionAdministration, SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import type { ChainConfig } from "../config/chain.ts";
import { SealbookError } from "../errors.ts";
import type { ChainLink, ChainLinkOptions, ContractsLink } from "./chain-link.ts";
import { embeddedKeys, openEmbeddedChain } from "./embedded-chain.ts";
import { type OpenedKey, openRelayerKey } from "./relayer-key.ts";
import { openRemoteChain } from "./remote-chain.ts";
import { applySessionRules } from "./session-rules.ts";

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
