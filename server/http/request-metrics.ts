import type { RequestHandler } from "express";

/** Takes the time of an answered request. */
export type ObserveRequest = (labels: { method: string; route: string; status: string }, seconds: number) => void;

/** Measures requests by route, never by path: paths carry ids, and every new one would be a new time series. */
export function requestMetrics(observe: ObserveRequest): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    response.on("finish", () => {
      const route: unknown = request.route?.path;
      const pattern = typeof route === "string" ? `${request.baseUrl}${route}` : "unmatched";
      const labels = { method: request.method, route: pattern, status: String(response.statusCode) };
      observe(labels, (performance.now() - start) / 1000);
    });
    next();
  };
}
