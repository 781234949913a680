import type { IncomingMessage } from "node:http";
import { isIP, isIPv6, type Socket } from "node:net";
import type { RequestHandler } from "express";
import { SealbookError } from "../../errors.ts";
import { isLoopback, type NetworkList } from "../../kit/network-list.ts";
import { forwardedCaller } from "../forwarding/accept.ts";

/**
 * Rejects requests for another host with 421. A browser sends the name in its address bar: without this check, a page
 * whose name resolves to this server's address reads responses that only this machine or network may read (DNS
 * rebinding). Accepted are the names of the machine itself, the address of the connection, and `names`.
 * @param names Names or addresses, without port
 */
export function hostCheck(names: readonly string[]): RequestHandler {
  const accepted = new Set(names.map((name) => hostName(name)));
  return (request, _response, next) => {
    const { host } = request.headers;
    // Another relayer has checked the name that the client knows.
    if (forwardedCaller(request) !== undefined) return next();
    // Only HTTP/1.0 has requests without a host; no browser sends them.
    if (host === undefined) return next();
    if (hasTwoHosts(request)) throw new SealbookError("malformed", "the request has two hosts");
    const name = hostName(host);
    if (isLoopback(name) || accepted.has(name) || isAddressOf(name, request.socket.localAddress)) return next();
    next(new SealbookError("misdirected", "this server has another name; ALLOWED_HOSTS lists its names"));
  };
}

/** Node keeps the first of two. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  const isName = (text: string, index: number): boolean => index % 2 === 0 && /^host$/i.test(text);
  return rawHeaders.findIndex(isName) !== rawHeaders.findLastIndex(isName);
}

/** Returns the host of `host:port` in lower case; IPv6 addresses have brackets. */
function hostName(host: string): string {
  const name = host.toLowerCase().replace(/\.?(?::\d*)?$/, "");
  return isIP(host) === 6 ? `[${host.toLowerCase()}]` : name;
}

function isAddressOf(name: string, address = ""): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  return name === (isIP(plain) === 6 ? `[${plain}]` : plain);
}

/** Where a request comes from. */
interface Source {
  /**
   * What its requests and connections are counted by: its network address, see {@link sourceKey}; that of the client,
   * when a trusted proxy forwards it.
   */
  readonly key: string;
  /** Whether it may use the APIs of the appliance. */
  readonly isAllowed: boolean;
  /** Whether its connection to the first server is encrypted. */
  readonly isSecure: boolean;
  /** Whether it is a trusted proxy that forwards no address: its requests are those of many clients. */
  readonly isProxy: boolean;
}

/** The networks of sources. */
interface SourceRules {
  /** May use the APIs of the appliance. */
  readonly networks: NetworkList;
  /** Their `X-Forwarded-For` is trusted. */
  readonly proxies: NetworkList;
}

/** By request. */
const sources = new WeakMap<object, Source>();

/** Determines the source of each request, once for a connection without forwarded addresses. */
export function noteSource({ networks, proxies }: SourceRules): RequestHandler {
  const ofConnections = new WeakMap<Socket, Source>();
  return (request, _response, next) => {
    const caller = forwardedCaller(request);
    if (caller !== undefined) {
      const { source: key, isProxy, isSecure } = caller;
      sources.set(request, { key, isProxy, isSecure, isAllowed: true });
      return next();
    }
    const isForwarded = request.headers["x-forwarded-for"] !== undefined;
    let source = isForwarded ? undefined : ofConnections.get(request.socket);
    if (source === undefined) {
      const { ip: address = "" } = request;
      source = {
        key: sourceKey(address),
        isAllowed: networks.has(address),
        isSecure: request.secure,
        isProxy: proxies.has(address),
      };
      if (!isForwarded) ofConnections.set(request.socket, source);
    }
    sources.set(request, source);
    next();
  };
}

/** Returns the source of a request. */
export function sourceOf(request: object): Source {
  const source = sources.get(request);
  if (source === undefined) throw new TypeError("the source of the request was not determined");
  return source;
}

/** Rejects sources outside of the allowed networks. */
export const fromAllowedNetwork: RequestHandler = (request, _response, next) => {
  if (sourceOf(request).isAllowed) next();
  else next(new SealbookError("forbidden", "this network may not use this API"));
};

/**
 * Returns the key under which the connections and requests of a source are counted: an IPv4 address, or the network of
 * an IPv6 address by /64, which one machine has as a whole.
 */
export function sourceKey(address = ""): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
