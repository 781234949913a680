import { type ErrorRequestHandler, type Request, type Response, Router } from "express";
import { SealbookError } from "../../errors.ts";
import { parseInput } from "../errors.ts";
import { idempotencyKeyOf } from "../idempotency-key.ts";
import { bodyBytes, jsonBody, tooLarge, utf8 } from "../json-body.ts";
import { checkCall } from "./call-json.ts";
import type { z } from "zod";
import { type ContentOf, Envelope, type RecordStoreCall } from "./call.ts";
import { routeOf, sendFailure, sendSuccess, startClock } from "./envelope.ts";

/** Default maximum bytes of a call. */
const MAX_BODY = 64 * 1024;

/** A call with its handler. */
export interface ServedCall {
  readonly route: string;
  /** @returns the content of the response */
  readonly handle: (request: Request, response: Response) => Promise<object>;
  /** Maximum bytes of a call. */
  readonly maxBody: number;
}

/** Joins a call and its handler, which returns the content of the response. */
export function serveCall<C extends RecordStoreCall>(
  { route, input }: C,
  maxBody = MAX_BODY,
): (
  handle: (input: z.output<C["input"]>, request: Request, response: Response) => Promise<ContentOf<C>>,
) => ServedCall {
  return (handle) => ({
    route,
    maxBody,
    // The type of its input is inferred from the call's own schema.
    handle: (request, response) => handle(parseInput<C["input"]>(input, request.body), request, response),
  });
}

/**
 * Creates the record store API: one endpoint, the route is in the body.
 * @param forwarding Forwards what only the leader can do
 */
export function recordStoreRouter(calls: readonly ServedCall[], forwarding: ErrorRequestHandler): Router {
  const router = Router();
  const routes = new Map(calls.map((call) => [call.route, call]));
  const largest = Math.max(...calls.map(({ maxBody }) => maxBody));
  /** The limit depends on the route, which is known only after the body is parsed. */
  const checkSize = (request: Request): void => {
    const maximum = routes.get(routeOf(request) ?? "")?.maxBody ?? MAX_BODY;
    if (bodyBytes(request) > maximum) throw tooLarge(maximum);
  };
  const checkSizeOfFaulty: ErrorRequestHandler = (thrown: unknown, request, _response, next) => {
    checkSize(request);
    next(thrown);
  };
  router.use(startClock, (_request, response, next) => {
    // Responses contain tokens.
    response.set("Cache-Control", "no-store");
    next();
  });
  const handle = async (request: Request, response: Response): Promise<void> => {
    const named = routeOf(request);
    // An unknown route is reported before other errors of the call.
    if (named !== undefined && !routes.has(named)) throw noSuchRoute();
    const { route } = parseInput(Envelope, request.body);
    // Also where the key has no effect: a client learns that its keys are wrong before it needs one.
    idempotencyKeyOf(request);
    const found = routes.get(route);
    if (found === undefined) throw noSuchRoute();
    sendSuccess(response, route, await found.handle(request, response));
  };
  const body = jsonBody({
    limit: largest,
    check(request, bytes) {
      checkSize(request);
      checkCall(request.body, utf8.decode(bytes));
    },
  });
  router.post("/", body, handle);
  router.all("/", (_request, response) => {
    response.set("Allow", "POST");
    throw new SealbookError("method_not_allowed", "calls are made with POST");
  });
  router.use(checkSizeOfFaulty, forwarding, sendFailure);
  return router;
}

function noSuchRoute(): SealbookError {
  return new SealbookError("not_found", "there is no such route");
}
