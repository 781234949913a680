import { HttpEndpoint } from "./http-endpoint.ts";
import { HttpRpc } from "./http-rpc.ts";
import { JsonRpcSocket } from "./json-rpc-socket.ts";
import { localSocketOpener } from "./local-socket.ts";
import { type FailOver, FailoverRpc, type NodeAtAddress } from "./failover.ts";
import { parseNodeAddress, shownAddress } from "./node-address.ts";
import { NODE, type PeerTlsOptions } from "./peer-tls.ts";
import { fetchQuantity } from "./query.ts";
import type { Rpc } from "./rpc.ts";
import { webSocketOpener } from "./web-socket.ts";

/**
 * Connects to a node at an `http(s)`, `ws(s)` or `ipc` address; the connection opens with the first call.
 * @throws SealbookError `config_invalid` for any other address
 */
export function connectRpc(url: string, chainId: number, tls: PeerTlsOptions = {}, peer = NODE): Rpc {
  const address = parseNodeAddress(url);
  switch (address.kind) {
    case "http":
      return new HttpRpc(new HttpEndpoint(address.url, { headers: address.headers, tls, peer }), chainId);
    case "websocket":
      return new JsonRpcSocket(webSocketOpener(address.url, address.headers, { tls, peer }), chainId);
    case "ipc":
      return new JsonRpcSocket(localSocketOpener(address.path), chainId);
  }
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
