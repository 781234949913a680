import type { RequestHandler } from "express";
import { SealbookError } from "../../errors.ts";
import type { NetworkList } from "../../kit/network-list.ts";

/**
 * Refuses whoever calls from another network. What a proxy says of its caller counts only where the proxy is trusted.
 */
export function sourceNetwork(allowed: NetworkList): RequestHandler {
  return (request, _response, next) => {
    if (request.ip !== undefined && allowed.has(request.ip)) next();
    else next(new SealbookError("forbidden", "this network may not use this API"));
  };
}
