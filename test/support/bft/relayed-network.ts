import type { EnvironmentVariables } from "../../../server/config/environment.ts";
import { type RemoteChain, startRemoteChain } from "../remote-chain.ts";
import { type BftNetwork, type BftNetworkOptions, type NetworkNode, startBftNetwork } from "./network.ts";

/** A network with the contracts on it. */
export interface RelayedNetwork extends BftNetwork {
  readonly directory: string;
  /** Returns one of its nodes. */
  at(index: number): NetworkNode;
  /** Returns the server's configuration for relaying through these nodes. */
  variablesFor(urls: readonly string[]): EnvironmentVariables;
}

export async function startRelayedNetwork(options: BftNetworkOptions = {}): Promise<RelayedNetwork> {
  const network = await startBftNetwork(options);
  const at = (index: number): NetworkNode => {
    const node = network.nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  };
  let chain: RemoteChain;
  try {
    chain = await startRemoteChain(async () => ({
      chainId: network.chainId,
      url: at(0).http,
      stop: () => network.stop(),
    }));
  } catch (error) {
    await network.stop();
    throw error;
  }
  const nodeList = await network.writeNodeList(chain.directory);
  return Object.assign(Object.create(network, {}) as BftNetwork, {
    directory: chain.directory,
    at,
    variablesFor: (urls: readonly string[]): EnvironmentVariables => ({
      ...chain.variables,
      RPC_URL: urls.join(","),
      VALIDATOR_NAMES: network.names,
      NODE_LIST_FILE: nodeList,
    }),
    stop: () => chain.close(),
  });
}
