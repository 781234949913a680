import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Wallet } from "ethers";
import {
  assertDeployed,
  DEFAULT_SESSION_RULES,
  deploy,
  type Deployment,
  deploymentFile,
  readDeployment,
} from "../chain/contracts/deployment.ts";
import { writeFileDurably } from "../kit/durable-file.ts";
import {
  type EmbeddedChain,
  EmbeddedChainError,
  type EmbeddedChainEvent,
  startEmbeddedChain,
} from "../chain/embedded/embedded-chain.ts";
import type { RelayerKey } from "../chain/keys/relayer-key.ts";
import { loadOrCreateKeys } from "../chain/keys/generated-keys.ts";
import { askChainId, connectNodes, connectRpc } from "../chain/rpc/connect.ts";
import { connectInProcess } from "../chain/rpc/in-process.ts";
import type { FailOver } from "../chain/rpc/failover.ts";
import { NODE, PeerTlsError, peerTlsOptions } from "../chain/rpc/peer-tls.ts";
import type { Rpc } from "../chain/rpc/rpc.ts";
import { type SessionAdministration, SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import type { Config } from "../config/config.ts";
import { embeddedChainUrlFile } from "../config/embedded-chain-url.ts";
import { SealbookError } from "../errors.ts";
import { type OpenedKey, openRelayerKey } from "./relayer-key.ts";

/** The embedded chain's id; no public network has it. */
export const EMBEDDED_CHAIN_ID = 7325;
const OTHER_WAIT_MILLISECONDS = 30_000;
const OTHER_RETRY_MILLISECONDS = 200;

/** The chain with the contracts on it. */
export interface ContractsLink {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  /** The administrator's key, when there is one. */
  readonly administrator: Wallet | undefined;
  /** The embedded chain, when this process runs it. */
  readonly embedded: EmbeddedChain | undefined;
  close(): Promise<void>;
}

/** The chain with the contracts on it, and the keys to use them as a relayer. */
export interface ChainLink extends ContractsLink {
  readonly relayer: RelayerKey;
  /** With the administrator's key, when there is one. */
  readonly administration: SessionAdministration | undefined;
}

/** What happens on the way to a chain. */
export type ChainLinkEvent =
  | { readonly kind: "embedded"; readonly event: EmbeddedChainEvent }
  | { readonly kind: "deployed"; readonly contract: string; readonly address: string }
  | { readonly kind: "failed_over"; readonly event: FailOver }
  | { readonly kind: "unreachable"; readonly error: unknown };

export interface ChainLinkOptions {
  /** When the embedded chain runs in another process, use it there instead of refusing. */
  readonly share: boolean;
  readonly onEvent: (event: ChainLinkEvent) => void;
}

/** Opens the way to the chain for a relayer, or for what needs a relayer's journal. */
export async function openChainLink(config: Config, options: ChainLinkOptions): Promise<ChainLink> {
  const contracts = await openContracts(config, options);
  try {
    const { rpc, deployment, administrator } = contracts;
    const relayer = await relayerKeyOf(config);
    const link = {
      ...contracts,
      relayer,
      async close() {
        relayer.close?.();
        await contracts.close();
      },
      administration:
        administrator &&
        new SessionRegistryClient(rpc, deployment.contracts.SessionRegistry).administeredBy(
          administrator,
          config.gasPrice,
        ),
    };
    await applySessionRules(config, link);
    return link;
  } catch (error) {
    await contracts.close();
    throw error;
  }
}

/** Opens the way to the chain: starts the embedded one and deploys the contracts, or connects to the configured one. */
export async function openContracts(config: Config, options: ChainLinkOptions): Promise<ContractsLink> {
  const opened = new AsyncDisposableStack();
  try {
    const link =
      config.chain.kind === "embedded"
        ? await openEmbedded(config, config.chain, options, opened)
        : await openRemote(config, config.chain, options, opened);
    const resources = opened.move();
    return { ...link, close: () => resources.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

type Opened = Omit<ContractsLink, "close">;

async function openEmbedded(
  config: Config,
  chain: Extract<Config["chain"], { kind: "embedded" }>,
  { share, onEvent }: ChainLinkOptions,
  opened: AsyncDisposableStack,
): Promise<Opened> {
  const urlFile = embeddedChainUrlFile(chain.directory);
  let embedded: EmbeddedChain | undefined;
  try {
    embedded = await startEmbeddedChain({
      ...chain,
      chainId: EMBEDDED_CHAIN_ID,
      onEvent: (event) => onEvent({ kind: "embedded", event }),
    });
    opened.defer(() => embedded?.stop());
    await writeFileDurably(urlFile, [Buffer.from(embedded.url)]);
  } catch (error) {
    if (!(share && error instanceof EmbeddedChainError && error.code === "chain-in-use")) throw error;
  }
  const rpc =
    embedded !== undefined ? connectInProcess(embedded) : connectRpc(await urlOfOther(urlFile), EMBEDDED_CHAIN_ID);
  opened.defer(() => rpc.close());
  const keys = await embeddedKeys(config);
  const administrator = new Wallet(keys.administrator);
  const deployment = await deploy({
    rpc,
    administrator,
    relayer: keys.relayer.address,
    ...sessionRules(config, DEFAULT_SESSION_RULES),
    gasPrice: config.gasPrice,
    file: deploymentFile(config.dataDirectory, rpc.chainId),
    onDeployed: (contract, address) => onEvent({ kind: "deployed", contract, address }),
  });
  return { rpc, deployment, administrator, embedded };
}

/** Where the embedded chain of another process answers, as soon as it does: that process may be just starting. */
async function urlOfOther(urlFile: string): Promise<string> {
  for (
    const deadline = Date.now() + OTHER_WAIT_MILLISECONDS;
    Date.now() < deadline;
    await sleep(OTHER_RETRY_MILLISECONDS)
  ) {
    const url = await readFile(urlFile, "utf8").catch(() => undefined);
    if (url === undefined) continue;
    const chainId = await askChainId(url).catch(() => undefined);
    if (chainId === EMBEDDED_CHAIN_ID) return url;
  }
  throw new SealbookError("chain_unavailable", "another process has the embedded chain, but it does not answer");
}

/** Where the keys that were made for the embedded chain are kept. */
export function keysFile(dataDirectory: string): string {
  return join(dataDirectory, "keys.json");
}

/** The keys for the embedded chain: configured ones, else those made for it. */
export async function embeddedKeys(
  config: Config,
): Promise<{ readonly relayer: OpenedKey; readonly administrator: string }> {
  const made = await loadOrCreateKeys(keysFile(config.dataDirectory));
  const relayer = await openRelayerKey(config.relayer ?? { kind: "environment", key: made.relayer });
  return { relayer, administrator: config.administratorKey ?? made.administrator };
}

/** @throws SealbookError `config_invalid` when it is the administrator's as well */
async function relayerKeyOf(config: Config): Promise<OpenedKey> {
  if (config.relayer === undefined && config.chain.kind === "remote") {
    throw new SealbookError("config_invalid", "RELAYER_KEY is needed with RPC_URL");
  }
  const relayer =
    config.relayer === undefined ? (await embeddedKeys(config)).relayer : await openRelayerKey(config.relayer);
  if (config.administratorKey === undefined || new Wallet(config.administratorKey).address !== relayer.address)
    return relayer;
  throw new SealbookError("config_invalid", "ADMIN_KEY is the relayer's key too: each needs its own nonces and rights");
}

async function openRemote(
  config: Config,
  { urls, tls: nodeTls }: Extract<Config["chain"], { kind: "remote" }>,
  { onEvent }: ChainLinkOptions,
  opened: AsyncDisposableStack,
): Promise<Opened> {
  const tls = peerTlsOptions(nodeTls, NODE);
  let reachable = true;
  const chainId = await askChainId(urls, tls).catch((error: unknown) => {
    // A server that starts while its node is away still answers from its journal, and catches up later.
    reachable = false;
    onEvent({ kind: "unreachable", error });
    return onlyKnownChain(config.dataDirectory, error);
  });
  const rpc = connectNodes(urls, chainId, tls, (event) => onEvent({ kind: "failed_over", event }));
  opened.defer(() => rpc.close());
  const file = deploymentFile(config.dataDirectory, chainId);
  const deployment = await readDeployment(file);
  if (deployment === undefined) {
    throw new SealbookError(
      "config_invalid",
      `${file} does not name the contracts of chain ${chainId}: deploy them with ` +
        "npx hardhat run --no-compile scripts/deploy.ts --network remote",
    );
  }
  if (reachable) await assertDeployed(rpc, deployment, file);
  const administrator = config.administratorKey === undefined ? undefined : new Wallet(config.administratorKey);
  return { rpc, deployment, administrator, embedded: undefined };
}

/** The chain that contracts were deployed to before, when there is just one. */
async function onlyKnownChain(dataDirectory: string, cause: unknown): Promise<number> {
  const folder = join(dataDirectory, "deployments");
  const known = existsSync(folder) ? (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name)) : [];
  const [only, another] = known;
  if (only === undefined || another !== undefined) {
    const isDistrust = cause instanceof SealbookError && cause.cause instanceof PeerTlsError;
    const reason = isDistrust ? `no connection to RPC_URL: ${cause.message}` : "the node at RPC_URL does not answer";
    throw new SealbookError("chain_unavailable", `${reason}, and it is not known which chain it is`, { cause });
  }
  return Number.parseInt(only, 10);
}

/** What is configured, completed by what holds otherwise. */
export function sessionRules(config: Config, otherwise: SessionRules): SessionRules {
  const lifetime = config.sessionLifetime ?? otherwise.lifetime;
  const minimumToExtend = config.sessionMinimumToExtend ?? otherwise.minimumToExtend;
  if (minimumToExtend < lifetime) return { lifetime, minimumToExtend };
  throw new SealbookError(
    "config_invalid",
    `SESSION_MINIMUM_TO_EXTEND, ${minimumToExtend} s, has to be less than SESSION_LIFETIME, ${lifetime} s: set both`,
  );
}

interface SessionRules {
  readonly lifetime: number;
  readonly minimumToExtend: number;
}

/** The rules of sessions are kept in the contract: what is configured has to get there. */
async function applySessionRules(config: Config, { rpc, deployment, administration: admin }: ChainLink): Promise<void> {
  if (config.sessionLifetime === undefined && config.sessionMinimumToExtend === undefined) return;
  const rules = await new SessionRegistryClient(rpc, deployment.contracts.SessionRegistry).rules();
  const { lifetime, minimumToExtend: minimum } = sessionRules(config, rules);
  if (lifetime === rules.lifetime && minimum === rules.minimumToExtend) return;
  if (admin === undefined) {
    throw new SealbookError(
      "config_invalid",
      `the contract says that sessions live ${rules.lifetime} s and need more than ${rules.minimumToExtend} s to be ` +
        `extended; changing that to ${lifetime} s and ${minimum} s needs ADMIN_KEY`,
    );
  }
  await admin.setRules({ lifetime, minimumToExtend: minimum });
}
