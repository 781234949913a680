import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { RequestHandler } from "express";
import { SealbookError } from "../../errors.ts";

/** The names of the machine itself. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

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
    // Only HTTP/1.0 has requests without a host; no browser sends them.
    if (host === undefined) return next();
    if (hasTwoHosts(request)) throw new SealbookError("malformed", "the request has two hosts");
    const name = hostName(host);
    if (LOOPBACK.test(name) || accepted.has(name) || isAddressOf(name, request.socket.localAddress)) return next();
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
