import type { Request, RequestHandler, Response, Router } from "express";
import * as z from "zod";
import { malformed, SealbookError } from "../errors.ts";
import { limitList, type ListLimit, parseInput } from "./errors.ts";
import { idempotencyKeyOf } from "./idempotency-key.ts";
import { jsonBody } from "./json-body.ts";
import { sendJson } from "./json-response.ts";
import { NDJSON_TYPES } from "./ndjson.ts";
import type { InputOf, ResultOf, Route } from "./route.ts";

/** Rejects other methods with 405 and lists the supported ones in `Allow`. */
export function onlyMethods(...methods: readonly string[]): RequestHandler {
  return (_request, response) => {
    response.set("Allow", methods.join(", "));
    throw new SealbookError("method_not_allowed", `this path supports ${methods.join(" and ")} only`);
  };
}

/** Default maximum bytes of a body. */
const MAX_BODY = 64 * 1024;

/** The limits of a route. */
export interface RouteLimits {
  /** Decides whether and when a request is served, before its body is read. */
  readonly admit?: RequestHandler;
  /** Maximum bytes of the JSON body, and what to do with a larger one. */
  readonly size?: { readonly bytes: number; readonly advice: string };
  readonly list?: ListLimit;
}

/** A route with its handler. */
export interface ServedRoute {
  readonly route: Route;
  readonly handlers: readonly RequestHandler[];
}

type Handle<R extends Route, T> = (input: InputOf<R>, request: Request, response: Response) => Promise<T>;

/** Joins a route, its limits and its handler, which returns the JSON of the response. */
export function serve<R extends Route>(
  route: R,
  limits: RouteLimits = {},
): (handle: Handle<R, ResultOf<R>>) => ServedRoute {
  return (handle) =>
    servedRoute(route, limits, async (input, request, response) => {
      sendJson(response, await handle(input, request, response));
    });
}

/** As {@link serve}, with a handler that sends the response. */
export function serveRaw<R extends Route>(
  route: R,
  limits: RouteLimits = {},
): (handle: Handle<R, void>) => ServedRoute {
  return (handle) => servedRoute(route, limits, handle);
}

function servedRoute<R extends Route>(
  route: R,
  { admit, size, list }: RouteLimits,
  handle: Handle<R, void>,
): ServedRoute {
  const { params, query, body, bodyLine, isKeyed } = route;
  const isChecked = /^\/(explorer\/)?api\//.test(route.path) && (route.method === "get" || query !== undefined);
  const parameters = isChecked ? parametersOf(query) : undefined;
  const hasLines = (request: Request): boolean =>
    bodyLine !== undefined && typeof request.is(NDJSON_TYPES) === "string";
  const bodyOf = (request: Request): unknown => {
    if (body === undefined || hasLines(request)) return undefined;
    if (list !== undefined) limitList(request.body, list);
    return parseInput(body, request.body);
  };
  const respond = async (request: Request, response: Response): Promise<void> => {
    if (parameters !== undefined) rejectUnusable(request.query, parameters);
    const input = {
      params: params && parseInput(params, request.params),
      body: bodyOf(request),
      query: query && parseInput(query, request.query, "query"),
      key: isKeyed && idempotencyKeyOf(request),
    };
    // Each field was parsed by the route's own schema, which its type is inferred from.
    await handle(input as InputOf<R>, request, response);
  };
  const { bytes, advice } = size ?? { bytes: MAX_BODY, advice: undefined };
  const read = body === undefined ? [] : jsonBody({ limit: bytes, advice });
  const steps = bodyLine === undefined ? read : read.map((step) => unless(hasLines, step));
  return { route, handlers: [...(admit === undefined ? [] : [admit]), ...steps, respond] };
}

/** Returns the names of the parameters of a query. */
function parametersOf(query: unknown): readonly string[] {
  if (query instanceof z.ZodPipe) return parametersOf(query.in);
  return query instanceof z.ZodObject ? Object.keys(query.shape) : [];
}

/** A misspelt parameter, or one of two, would give a response to another question. */
function rejectUnusable(query: object, parameters: readonly string[]): void {
  const repeated = Object.entries(query).find(([, value]) => Array.isArray(value));
  if (repeated !== undefined) throw malformed(repeated[0], "is there more than once");
  const unknown = Object.keys(query).find((name) => !parameters.includes(name));
  if (unknown === undefined) return;
  const known = parameters.length === 0 ? "it has none" : `it has ${parameters.join(", ")}`;
  throw malformed(unknown, `is no query parameter of this path; ${known}`);
}

/** Adds routes to a router, after the guards; their paths refuse other methods. */
export function addRoutes(
  router: Router,
  served: readonly ServedRoute[],
  guards: readonly RequestHandler[] = [],
): void {
  for (const [path, ofPath] of Map.groupBy(served, ({ route }) => route.path)) {
    const methods = ofPath.map(({ route }) => route.method.toUpperCase());
    // A path can also be one of a route with a parameter, such as /proof/batch of /proof/{id}.
    const others = served
      .filter(({ route }) => route.path !== path && patternOf(route.path).test(path))
      .map(({ route }) => route.method.toUpperCase());
    const target = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"));
    for (const { route, handlers } of ofPath) target[route.method](...guards, ...handlers);
    target.all(
      (request, _response, next) =>
        others.includes(request.method === "HEAD" ? "GET" : request.method) ? next("route") : next(),
      ...guards,
      onlyMethods(...methods),
    );
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/{}]+")}$`);
}

function unless(isSkipped: (request: Request) => boolean, step: RequestHandler): RequestHandler {
  return (request, response, next) => (isSkipped(request) ? next() : step(request, response, next));
}
