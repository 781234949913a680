import { SealbookError } from "../../errors.ts";
import { HttpEndpoint } from "./http-endpoint.ts";
import { HttpRpc } from "./http-rpc.ts";
import { type FailOver, FailoverRpc, type NodeAtAddress } from "./failover.ts";
import { NODE, type PeerTlsOptions } from "./peer-tls.ts";
import { fetchChainIdOf } from "./query.ts";
import type { Rpc } from "./rpc.ts";
import { within } from "../../kit/time.ts";

/** The address of a node. */
interface NodeAddress {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Parses the address of a node. Name and password become a header, so that no error message holds them.
 * @throws SealbookError `config_invalid` for another address than `http(s)://`
 */
export function parseNodeAddress(text: string): NodeAddress {
  const url = URL.parse(text);
  // The message leaves the text out, because it may hold a password.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new SealbookError("config_invalid", "the node's address is not an http or https address");
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.hash = "";
  if (username === "" && password === "") return { url, headers: {} };
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { url, headers: { Authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}

/** Returns an address for logs and reports: without name, password and query. */
export function shownAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null) return "that address";
  const path = url.pathname === "/" ? "" : url.pathname;
  return `${url.protocol}//${url.host}${path}`;
}

/** Decodes percent signs; returns a malformed text as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Connects to a node; the connection opens with the first call.
 * @throws SealbookError `config_invalid` for another address than `http(s)://`
 */
export function connectRpc(address: string, chainId: number, tls: PeerTlsOptions = {}, peer = NODE): Rpc {
  const { url, headers } = parseNodeAddress(address);
  return new HttpRpc(new HttpEndpoint(url, { headers, tls, peer }), chainId);
}

interface NodeConnectionOptions {
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

/**
 * Fetches the chain id from the first node that responds.
 * @throws SealbookError `config_invalid` for one above 2^53 - 1; `chain_unavailable` when none responds
 */
export async function fetchChainId(urls: string | readonly string[], tls: PeerTlsOptions = {}): Promise<number> {
  let failure: unknown;
  for (const url of typeof urls === "string" ? [urls] : urls) {
    const rpc = connectRpc(url, 1, tls);
    try {
      return await fetchChainIdOf(rpc);
    } catch (error) {
      failure ??= error;
    } finally {
      rpc.close();
    }
  }
  throw failure;
}

/** A node that needs longer to report its state counts as unavailable. */
const DEADLINE_MILLISECONDS = 5_000;

/**
 * Sets a short deadline for calls of reports, which must show a hanging node soon. All other calls wait longer. A late
 * response is dropped.
 */
export function withCallDeadline(rpc: Rpc): Pick<Rpc, "call" | "chainId" | "addresses"> {
  return {
    chainId: rpc.chainId,
    addresses: () => rpc.addresses?.() ?? [],
    call: (method, parameters) => within(DEADLINE_MILLISECONDS, rpc.call(method, parameters), late),
  };
}

function late(): SealbookError {
  return new SealbookError(
    "chain_unavailable",
    `the chain's node did not respond within ${DEADLINE_MILLISECONDS / 1000} s`,
  );
}
