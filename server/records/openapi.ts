import { z } from "zod";
import { ALLOWED, type Answer, JSON_TYPE, type Operation } from "../http/openapi/operation.ts";
import { Failure, successOf } from "../http/record-store/responses.ts";
import { RECORD_EXAMPLES } from "./examples.ts";
import { DecodeCall, SearchCall, StoreCall } from "./schemas.ts";
import { DecodeContent, SearchContent, StoreContent } from "./responses.ts";
import { AuthCall, AuthContent, CloseContent, SessionContent, TokenCall } from "../sessions/index.ts";
import { Envelope } from "../http/record-store/schemas.ts";

/** A route: the call's envelope with its fields, and the content of the response. */
const routeOf = <Route extends string, Schema extends z.ZodObject>(
  route: Route,
  name: string,
  schema: Schema,
  content: z.ZodObject,
  description: string,
) => ({
  call: z
    .object({ ...Envelope.shape, ...schema.shape, route: z.literal(route) })
    .meta({ id: `${name}Call`, description }),
  response: successOf(route, content).meta({ id: `${name}Response` }),
  mapping: [route, `#/components/schemas/${name}Call`] as const,
});

const routes = [
  routeOf("/api/admin/auth", "Auth", AuthCall, AuthContent, "Opens a session."),
  routeOf(
    "/api/admin/session/validate",
    "Validate",
    TokenCall,
    SessionContent,
    "Validates an active session and replaces its token.",
  ),
  routeOf(
    "/api/admin/session/extend",
    "Extend",
    TokenCall,
    SessionContent,
    "Gives a validated session a new lifetime and replaces its token.",
  ),
  routeOf("/api/admin/session/close", "Close", TokenCall, CloseContent, "Closes a session."),
  routeOf(
    "/api/datastore/event/store",
    "Store",
    StoreCall,
    StoreContent,
    "Stores a record. The response follows its confirmation on the chain.",
  ),
  routeOf("/api/datastore/event/search", "Search", SearchCall, SearchContent, "Searches records, newest first."),
  routeOf(
    "/api/datastore/transaction/decode",
    "Decode",
    DecodeCall,
    DecodeContent,
    "Decodes the call data of a transaction that stored a record.",
  ),
] as const;

const [auth, ...otherRoutes] = routes;
const Call = z.discriminatedUnion("route", [auth.call, ...otherRoutes.map(({ call }) => call)]).meta({
  discriminator: { propertyName: "route", mapping: Object.fromEntries(routes.map(({ mapping }) => mapping)) },
});

const Success = z.union(routes.map(({ response }) => response));

const failure = (status: number, description: string): Answer => ({
  status,
  description,
  content: { [JSON_TYPE]: Failure },
  ...(status === 429 || status === 503 ? { headers: { "Retry-After": "Seconds after which to try again." } } : {}),
});

/** The record store API. */
export const RECORD_OPERATIONS: readonly Operation[] = [
  {
    id: "call",
    method: "post",
    path: "/api",
    tag: "Records",
    summary: "Open and keep sessions, store, search and decode records",
    description:
      "One endpoint: `route` says what is called, `method` is always `GET`. Whoever logs in gets a token that lives as long as the session; validating and extending replace it. The token also travels in the cookie `svcauth`, which must not differ from it.",
    isGuarded: false,
    body: { [JSON_TYPE]: Call },
    answers: [
      { status: 200, description: "It was done.", content: { [JSON_TYPE]: Success } },
      failure(400, "What was sent is not valid."),
      failure(401, "Login, password or token is not valid, or not any more."),
      failure(403, "The session does not allow this."),
      failure(404, "There is no such route."),
      { ...failure(405, "Calls are made with POST."), headers: ALLOWED },
      failure(409, "The session's state, or the chain, does not allow this."),
      failure(413, "The body is too large."),
      failure(429, "This was done too often."),
      failure(503, "It cannot be done now; trying again later can succeed."),
    ],
    examples: RECORD_EXAMPLES,
  },
];
