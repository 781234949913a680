// Deploys the contracts: npx hardhat run --no-compile scripts/deploy.ts --network NAME
// Writes their addresses to DATA_DIR/deployments/CHAIN_ID.json, where the relayer reads them. Keeps existing
// deployments. ADMIN_KEY deploys and administers, RELAYER_KEY gets the relayer's roles. Without them the embedded chain
// uses the keys generated at its first start, and a development node (hardhat node, Anvil) its first two accounts.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HDNodeWallet, Wallet } from "ethers";
import { z } from "zod";
import hre, { network } from "hardhat";
import { EMBEDDED_CHAIN_ID, embeddedKeys } from "../server/composition/embedded-chain.ts";
import { sessionRules } from "../server/composition/session-rules.ts";
import { DEFAULT_SESSION_RULES, deploy, deploymentFile } from "../server/chain/contracts/deployment.ts";
import { ownKey, type RelayerKey } from "../server/chain/keys/relayer-key.ts";
import { fetchChainId, connectNodes } from "../server/chain/rpc/connect.ts";
import { shownAddress } from "../server/chain/rpc/node-address.ts";
import { NODE, peerTlsOptions } from "../server/chain/rpc/peer-tls.ts";
import { ifNodeError, nodeErrorOf, type Rpc, toQuantity } from "../server/chain/rpc/rpc.ts";
import type { ChainConfig } from "../server/config/chain.ts";
import { parseConfig } from "../server/config/config.ts";
import { readEnv } from "../server/config/environment.ts";
import { SealbookError } from "../server/errors.ts";
import { openRelayerKey } from "../server/composition/relayer-key.ts";

/** Balance for the deployment on a chain with fees. */
const PLAY_MONEY = 10n ** 20n;

/** The public phrase behind the accounts of every development node. */
const DEVELOPMENT_PHRASE = `${"test ".repeat(11)}junk`;
const DEVELOPMENT_PATH = "m/44'/60'/0'/0";
const Accounts = z.array(z.string()).catch([]);

/** The administrator's key, and the relayer that gets the roles. */
interface Keys {
  readonly relayer: RelayerKey;
  readonly administrator: string;
  /** The relayer's private key when it is the well-known one of a development node. */
  readonly developmentKey?: string;
}

async function keysFor(config: ChainConfig, rpc: Rpc, inProcess: boolean): Promise<Keys> {
  if (rpc.chainId === EMBEDDED_CHAIN_ID) return embeddedKeys(config);
  const { relayer, administratorKey } = config;
  if (relayer !== undefined && administratorKey !== undefined) {
    return { relayer: await openRelayerKey(relayer), administrator: administratorKey };
  }
  if (inProcess)
    return { relayer: ownKey(Wallet.createRandom().privateKey), administrator: Wallet.createRandom().privateKey };
  const [first, second] = await developmentAccounts(rpc);
  if (first !== undefined && second !== undefined && relayer === undefined && administratorKey === undefined)
    return { relayer: ownKey(second), administrator: first, developmentKey: second };
  throw new SealbookError("config_invalid", `ADMIN_KEY and RELAYER_KEY are needed to deploy to chain ${rpc.chainId}`);
}

/** Returns the private keys of the node's first two accounts; none for a node that does not have the public ones. */
async function developmentAccounts(rpc: Rpc): Promise<readonly string[]> {
  const unlocked = Accounts.parse(await rpc.call("eth_accounts", []).catch(ifNodeError([])));
  const root = HDNodeWallet.fromPhrase(DEVELOPMENT_PHRASE, undefined, DEVELOPMENT_PATH);
  const keys = [root.deriveChild(0), root.deriveChild(1)];
  const isPublic = keys.every(({ address }, index) => unlocked[index]?.toLowerCase() === address.toLowerCase());
  return isPublic ? keys.map(({ privateKey }) => privateKey) : [];
}

interface Connection {
  readonly rpc: Rpc;
  /** Where the node is, without credentials; unset for a chain in this process. */
  readonly address?: string;
  /** Whether the chain runs in this process and ends with it. */
  readonly inProcess: boolean;
  close(): Promise<void>;
}

async function connect({ node }: ChainConfig): Promise<Connection> {
  if (hre.globalOptions.network !== "remote") return connectWithHardhat();
  if (node.kind !== "remote")
    throw new SealbookError("config_invalid", "RPC_URL, the address of the network's node, is needed");
  // Hardhat supports HTTP only; the server's client supports every kind of address.
  const { urls } = node;
  const tls = peerTlsOptions(node.tls, NODE);
  const rpc = connectNodes(urls, await fetchChainId(urls, tls), { tls });
  return { rpc, address: shownAddress(urls[0]), inProcess: false, close: async () => rpc.close() };
}

async function connectWithHardhat(): Promise<Connection> {
  const connection = await network.create();
  const { networkConfig } = connection;
  const address = networkConfig.type === "http" ? shownAddress(await networkConfig.url.getUrl()) : undefined;
  const node = address === undefined ? "the network's node" : `the node at ${address}`;
  const call = async (method: string, parameters: readonly unknown[]): Promise<unknown> => {
    try {
      return await connection.provider.request({ method, params: [...parameters] });
    } catch (error) {
      throw nodeErrorOf(error) ?? new SealbookError("chain_unavailable", `${node} does not respond`, { cause: error });
    }
  };
  return {
    rpc: { chainId: Number(await call("eth_chainId", [])), call, close: () => undefined },
    ...(address === undefined ? {} : { address }),
    inProcess: networkConfig.type === "edr-simulated",
    close: () => connection.close(),
  };
}

async function main(): Promise<void> {
  const config = parseConfig(readEnv(), { relays: false }).chain;
  const connection = await connect(config);
  try {
    await deployOver(connection, config);
  } finally {
    await connection.close();
  }
}

async function deployOver({ rpc, address, inProcess }: Connection, config: ChainConfig): Promise<void> {
  const keys = await keysFor(config, rpc, inProcess);
  const administrator = new Wallet(keys.administrator);
  const folder = inProcess ? await mkdtemp(join(tmpdir(), "sealbook-deploy-")) : config.dataDirectory;
  if (inProcess) await rpc.call("hardhat_setBalance", [administrator.address, toQuantity(PLAY_MONEY)]);
  const file = deploymentFile(folder, rpc.chainId);
  let deployed = 0;
  const deployment = await deploy({
    rpc,
    administrator,
    relayer: keys.relayer.address,
    ...sessionRules(config.sessionRules, DEFAULT_SESSION_RULES),
    fees: config.fees,
    file,
    onDeployed: () => (deployed += 1),
  });
  for (const [name, contract] of Object.entries(deployment.contracts)) console.log(`${name.padEnd(16)} ${contract}`);
  console.log(deployed === 0 ? "Everything was deployed before; nothing changed." : `Contracts deployed: ${deployed}.`);
  console.log(inProcess ? "This chain ends with this command; the addresses are not kept." : `Addresses: ${file}`);
  if (keys.developmentKey !== undefined)
    console.log(`Start the server: RPC_URL=${address ?? ""} RELAYER_KEY=${keys.developmentKey} npm start`);
  if (inProcess) await rm(folder, { recursive: true });
}

main().catch((error: unknown) => {
  // A development node starts with another chain each time.
  const remedy =
    error instanceof SealbookError && error.code === "conflict" ? "; to deploy anew, remove that file" : "";
  console.error(error instanceof SealbookError ? `deploy: ${error.message}${remedy}` : error);
  process.exitCode = 1;
});
