import type { Request } from "express";

/** Returns the pattern of a request's route: paths contain ids and document ids, which are not logged. */
export function routePattern(request: Request): string {
  const route: unknown = request.route?.path;
  return typeof route === "string" ? `${request.baseUrl}${route}` : "unmatched";
}
