import { network } from "hardhat";
import { shownAddress } from "../../server/chain/rpc/connect.ts";
import { fetchChainIdOf } from "../../server/chain/rpc/query.ts";
import { nodeErrorOf } from "../../server/chain/rpc/rpc.ts";
import { SealbookError } from "../../server/errors.ts";
import type { Connection } from "./connection.ts";

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
    rpc: { chainId: await fetchChainIdOf({ call }), call, close: () => undefined },
    ...(address === undefined ? {} : { address }),
    inProcess: networkConfig.type === "edr-simulated",
    close: () => connection.close(),
  };
}
