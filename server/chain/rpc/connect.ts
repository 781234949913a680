import { HttpEndpoint } from "./http-endpoint.ts";
import { HttpRpc } from "./http-rpc.ts";
import { type FailOver, FailoverRpc, type NodeAtAddress } from "./failover.ts";
import { parseNodeAddress, shownAddress } from "./node-address.ts";
import { NODE, type PeerTlsOptions } from "./peer-tls.ts";
import { fetchQuantity } from "./query.ts";
import type { Rpc } from "./rpc.ts";

/**
 * Connects to a node; the connection opens with the first call.
 * @throws SealbookError `config_invalid` for another address than `http(s)://`
 */
export function connectRpc(address: string, chainId: number, tls: PeerTlsOptions = {}, peer = NODE): Rpc {
  const { url, headers } = parseNodeAddress(address);
  return new HttpRpc(new HttpEndpoint(url, { headers, tls, peer }), chainId);
}

export interface NodeConnectionOptions {
  readonly tls?: PeerTlsOptions;
  readonly onFailOver?: (event: FailOver) => void;
  /** Wraps the connection to each node. */
  readonly wrap?: (rpc: Rpc) => Rpc;
}

/**
 * Connects to several nodes of one chain, with failover.
 * @throws SealbookError `config_invalid` for an address of another kind
 */
export function connectNodes(
  urls: readonly [string, ...string[]],
  chainId: number,
  { tls = {}, onFailOver, wrap = (rpc) => rpc }: NodeConnectionOptions = {},
): Rpc {
  const at = (url: string): NodeAtAddress => ({ rpc: wrap(connectRpc(url, chainId, tls)), shown: shownAddress(url) });
  const [first, ...others] = urls;
  return others.length === 0 ? at(first).rpc : new FailoverRpc([at(first), ...others.map(at)], chainId, onFailOver);
}

/** Fetches the chain id from the first node that responds. */
export async function fetchChainId(urls: string | readonly string[], tls: PeerTlsOptions = {}): Promise<number> {
  let failure: unknown;
  for (const url of typeof urls === "string" ? [urls] : urls) {
    const rpc = connectRpc(url, 1, tls);
    try {
      return await fetchQuantity(rpc, "eth_chainId", []);
    } catch (error) {
      failure ??= error;
    } finally {
      rpc.close();
    }
  }
  throw failure;
}
