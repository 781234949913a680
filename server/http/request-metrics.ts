import type { RequestHandler, Request } from "express";

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

/** Returns the pattern of a request's route: paths contain ids and document ids, which are not logged. */
export function routePattern(request: Request): string {
  const route: unknown = request.route?.path;
  return typeof route === "string" ? `${request.baseUrl}${route}` : "unmatched";
}
