import type { RequestHandler } from "express";
import { SealbookError } from "../../errors.ts";
import type { NetworkList } from "../../kit/network-list.ts";

/**
 * Rejects callers outside of the allowed networks. The client address that a proxy forwards counts only from a trusted
 * proxy.
 */
export function sourceNetwork(allowed: NetworkList): RequestHandler {
  return (request, _response, next) => {
    if (request.ip !== undefined && allowed.has(request.ip)) next();
    else next(new SealbookError("forbidden", "this network may not use this API"));
  };
}
