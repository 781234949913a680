import { fetchChainId } from "../../../server/chain/rpc/connect.ts";
import type { EnvironmentVariables } from "../../../server/config/environment.ts";
import { startRemoteChain } from "../remote-chain.ts";
import { rpcCall } from "../rpc.ts";
import type { BftNetworkOptions } from "./network.ts";
import { type RelayedNetwork, startRelayedNetwork } from "./relayed-network.ts";

/**
 * A running network to test with, instead of a simulated one: `TEST_BFT_RPC`, the URLs of its nodes separated by
 * commas, and `TEST_BFT_VALIDATORS`, its validators as `0xADDRESS=NAME,...`. Its gas is free. Its nodes are
 * not stopped or changed.
 */
const { TEST_BFT_RPC, TEST_BFT_VALIDATORS = "" } = process.env;

/** A network with the contracts on it: our own, or a running one. */
export interface NetworkUnderTest {
  /** URL of one of its nodes. */
  readonly url: string;
  /** Lower-case address and name of each validator. */
  readonly validators: readonly (readonly [address: string, name: string])[];
  readonly directory: string;
  /** Configuration of the server. */
  readonly variables: EnvironmentVariables;
  /** Fetches the number of the newest block. */
  head(): Promise<number>;
  stop(): Promise<void>;
}

/** Declares a test that stops or changes nodes. There is none with `TEST_BFT_RPC`: its nodes must not be disturbed. */
export function itToOurNodes(title: string, test: () => Promise<void>): void {
  if (TEST_BFT_RPC === undefined) it(title, test);
}

/** Starts our own network, or connects to that of `TEST_BFT_RPC`. */
export async function startNetworkUnderTest(
  options: BftNetworkOptions = {},
): Promise<NetworkUnderTest & { readonly own: RelayedNetwork | undefined }> {
  if (TEST_BFT_RPC !== undefined) return { ...(await takeRunning(TEST_BFT_RPC.split(","))), own: undefined };
  const own = await startRelayedNetwork(options);
  const { http } = own.at(0);
  return {
    url: http,
    validators: own.nodes.map(({ address, name }) => [address, name]),
    directory: own.directory,
    variables: own.variablesFor([http]),
    head: async () => own.head,
    stop: () => own.stop(),
    own,
  };
}

async function takeRunning(urls: readonly string[]): Promise<NetworkUnderTest> {
  const [url = ""] = urls;
  const validators = TEST_BFT_VALIDATORS.split(",").map((pair) => {
    const [address = "", name = ""] = pair.trim().split("=");
    return [address.toLowerCase(), name] as const;
  });
  const chainId = await fetchChainId(urls);
  const chain = await startRemoteChain(async () => ({ chainId, url, stop: async () => undefined }));
  return {
    url,
    validators,
    directory: chain.directory,
    variables: { ...chain.variables, RPC_URL: urls.join(","), VALIDATOR_NAMES: TEST_BFT_VALIDATORS },
    head: async () => Number(await rpcCall(url, "eth_blockNumber")),
    stop: () => chain.close(),
  };
}
