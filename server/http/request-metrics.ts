import type { RequestHandler } from "express";
import { routePattern } from "./route-pattern.ts";

/** Records the duration of a request. */
export type ObserveRequest = (labels: { method: string; route: string; status: string }, seconds: number) => void;

/** Measures requests by route, never by path: every new path would be a new time series. */
export function requestMetrics(observe: ObserveRequest): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    response.on("finish", () => {
      const labels = { method: request.method, route: routePattern(request), status: String(response.statusCode) };
      observe(labels, (performance.now() - start) / 1000);
    });
    next();
  };
}
