import { HDNodeWallet, Wallet } from "ethers";
import * as z from "zod";
import { ownKey, type RelayerKey } from "../../server/chain/keys/relayer-key.ts";
import { ifNodeError, type Rpc } from "../../server/chain/rpc/rpc.ts";
import { EMBEDDED_CHAIN_ID, embeddedKeys } from "../../server/composition/embedded-chain.ts";
import { openRelayerKey } from "../../server/composition/chain-link.ts";
import type { ChainConfig } from "../../server/config/config.ts";
import { reasonOf, SealbookError } from "../../server/errors.ts";
import { connectNodes, fetchChainId, shownAddress } from "../../server/chain/rpc/connect.ts";
import { NODE, peerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";

/** The public phrase behind the accounts of every development node. */
const DEVELOPMENT_PHRASE = `${"test ".repeat(11)}junk`;
const DEVELOPMENT_PATH = "m/44'/60'/0'/0";
const Accounts = z.array(z.string()).catch([]);

/** The administrator's key, and the relayer that gets the roles. */
interface DeploymentKeys {
  readonly relayer: RelayerKey;
  readonly administrator: string;
  /** The relayer's private key when it is the well-known one of a development node. */
  readonly developmentKey?: string;
}

/**
 * Returns the keys of the configuration; else those of the embedded chain or of a development node.
 * @throws SealbookError `config_invalid` when there are none
 */
export async function keysFor(config: ChainConfig, rpc: Rpc, inProcess: boolean): Promise<DeploymentKeys> {
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

/** A connection to the chain that gets the contracts. */
export interface Connection {
  readonly rpc: Rpc;
  /** Where the node is, without credentials; unset for a chain in this process. */
  readonly address?: string;
  /** Whether the chain runs in this process and ends with it. */
  readonly inProcess: boolean;
  close(): Promise<void>;
}

/**
 * Connects to the node at `RPC_URL`. Hardhat supports HTTP only; the server's client supports every kind of address.
 * @throws SealbookError `config_invalid` without that address; `chain_unavailable` when there is no node
 */
export async function connectConfigured({ node }: ChainConfig): Promise<Connection> {
  if (node.kind !== "remote")
    throw new SealbookError(
      "config_invalid",
      "RPC_URL, the address of the network's node, is needed; the server deploys to the embedded chain itself",
    );
  const { urls } = node;
  const tls = peerTlsOptions(node.tls, NODE);
  const chainId = await fetchChainId(urls, tls).catch((error: unknown) => {
    const reason = reasonOf(error instanceof SealbookError ? error.cause : error);
    throw new SealbookError("chain_unavailable", `RPC_URL: the node does not respond: ${reason}`, { cause: error });
  });
  const rpc = connectNodes(urls, chainId, { tls });
  return { rpc, address: shownAddress(urls[0]), inProcess: false, close: async () => rpc.close() };
}
