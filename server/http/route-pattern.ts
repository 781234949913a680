import type { Request } from "express";

/** The route that answers a request, by its pattern: paths themselves carry ids and documents' names. */
export function routePattern(request: Request): string {
  const route: unknown = request.route?.path;
  return typeof route === "string" ? `${request.baseUrl}${route}` : "unmatched";
}
