import { network } from "hardhat";
import { fetchChainId, connectNodes, shownAddress } from "../../server/chain/rpc/connect.ts";
import { NODE, peerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import { nodeErrorOf, type Rpc } from "../../server/chain/rpc/rpc.ts";
import type { ChainConfig } from "../../server/config/chain.ts";
import { SealbookError } from "../../server/errors.ts";

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
 * @throws SealbookError `config_invalid` without that address
 */
export async function connectConfigured({ node }: ChainConfig): Promise<Connection> {
  if (node.kind !== "remote")
    throw new SealbookError(
      "config_invalid",
      "RPC_URL, the address of the network's node, is needed; the server deploys to the embedded chain itself",
    );
  const { urls } = node;
  const tls = peerTlsOptions(node.tls, NODE);
  const rpc = connectNodes(urls, await fetchChainId(urls, tls), { tls });
  return { rpc, address: shownAddress(urls[0]), inProcess: false, close: async () => rpc.close() };
}

/** Connects to the network that Hardhat was started with. */
export async function connectWithHardhat(): Promise<Connection> {
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
