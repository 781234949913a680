import { HttpEndpoint } from "./http-endpoint.ts";
import { HttpRpc } from "./http-rpc.ts";
import { JsonRpcSocket } from "./json-rpc-socket.ts";
import { localSocketOpener } from "./local-socket.ts";
import { parseNodeAddress } from "./node-address.ts";
import type { PeerTlsOptions } from "./peer-tls.ts";
import { askQuantity } from "./quantity.ts";
import type { Rpc } from "./rpc.ts";
import { webSocketOpener } from "./web-socket.ts";

/**
 * Connects to a node at an `http(s)`, `ws(s)` or `ipc` address; nothing is asked of it before the first call.
 * @throws SealbookError `config_invalid` for any other address
 */
export function connectRpc(url: string, chainId: number, tls: PeerTlsOptions = {}): Rpc {
  const address = parseNodeAddress(url);
  switch (address.kind) {
    case "http":
      return new HttpRpc(new HttpEndpoint(address.url, { headers: address.headers, tls }), chainId);
    case "websocket":
      return new JsonRpcSocket(webSocketOpener(address.url, address.headers, tls), chainId);
    case "ipc":
      return new JsonRpcSocket(localSocketOpener(address.path), chainId);
  }
}

/** Asks a node for its chain id, when it is not known yet. */
export async function askChainId(url: string, tls: PeerTlsOptions = {}): Promise<number> {
  const rpc = connectRpc(url, 1, tls);
  try {
    return await askQuantity(rpc, "eth_chainId", []);
  } finally {
    rpc.close();
  }
}
