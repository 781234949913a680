import { type ErrorRequestHandler, type Request, type Response, Router } from "express";
import { SealbookError } from "../../errors.ts";
import { parseInput } from "../errors.ts";
import { bodyBytes, jsonBody, tooLarge } from "../json-body.ts";
import { decode, type DecodeRouteParts } from "./decode-route.ts";
import { routeOf, sendFailure, sendSuccess, startClock } from "./envelope.ts";
import { type EventRouteParts, search, store } from "./event-routes.ts";
import { Envelope } from "./schemas.ts";
import { authenticate, close, extend, type SessionRouteParts, validate } from "./session-routes.ts";

/** Most bytes of a call. */
const MAX_BODY = 64 * 1024;
/** Most bytes of a decode call: the call data of the largest record that can be stored fits in. */
const MAX_DECODE_BODY = 256 * 1024;
const DECODE_ROUTE = "/api/datastore/transaction/decode";

/** What the record store API needs. */
export type RecordApiParts = SessionRouteParts & EventRouteParts & DecodeRouteParts;

type RouteHandler = (parts: RecordApiParts, request: Request, response: Response) => Promise<object>;

const ROUTES: ReadonlyMap<string, RouteHandler> = new Map<string, RouteHandler>([
  ["/api/admin/auth", authenticate],
  ["/api/admin/session/validate", validate],
  ["/api/admin/session/extend", extend],
  ["/api/admin/session/close", close],
  ["/api/datastore/event/store", store],
  ["/api/datastore/event/search", search],
  [DECODE_ROUTE, decode],
]);

/** The record store API: one endpoint, the route is in the body. */
export function recordRouter(parts: RecordApiParts): Router {
  const router = Router();
  router.use(startClock, (_request, response, next) => {
    // Answers carry tokens.
    response.set("Cache-Control", "no-store");
    next();
  });
  router.post("/", jsonBody(MAX_DECODE_BODY), async (request: Request, response: Response) => {
    checkSize(request);
    const named = routeOf(request);
    // What there is not is not asked whether the rest of the call is valid.
    if (named !== undefined && !ROUTES.has(named)) throw noSuchRoute();
    const { route } = parseInput(Envelope, request.body);
    const handler = ROUTES.get(route);
    if (handler === undefined) throw noSuchRoute();
    sendSuccess(response, route, await handler(parts, request, response));
  });
  router.all("/", (_request, response) => {
    response.set("Allow", "POST");
    throw new SealbookError("method_not_allowed", "calls are made with POST");
  });
  router.use(checkSizeOfFaulty, sendFailure);
  return router;
}

/** Only a decode call may be that large; what is none, by whatever its body is, may not. */
function checkSize(request: Request): void {
  if (routeOf(request) !== DECODE_ROUTE && bodyBytes(request) > MAX_BODY) throw tooLarge(MAX_BODY);
}

const checkSizeOfFaulty: ErrorRequestHandler = (thrown: unknown, request, _response, next) => {
  checkSize(request);
  next(thrown);
};

function noSuchRoute(): SealbookError {
  return new SealbookError("not_found", "there is no such route");
}
