import { z } from "zod";
import { ALLOWED, type OperationResponse, JSON_TYPE, type Operation } from "../http/openapi/operation.ts";
import { IdempotencyHeader } from "../http/idempotency-key.ts";
import { Failure, successOf } from "../http/record-store/responses.ts";
import { RECORD_EXAMPLES } from "./examples.ts";
import { DecodeCall, SearchCall, StoreCall } from "./schemas.ts";
import { DecodeContent, SearchContent, StoreContent } from "./responses.ts";
import { AuthCall, AuthContent, CloseContent, SessionContent, TokenCall } from "../sessions/index.ts";
import { Envelope } from "../http/record-store/envelope.ts";

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
    "Stores a record. The response follows its confirmation on the chain. With an `Idempotency-Key` the record is " +
      "stored once, however often the call is repeated within 24 hours.",
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

const failure = (status: number, description: string): OperationResponse => ({
  status,
  description,
  content: { [JSON_TYPE]: Failure },
  ...(status === 429 || status === 503 ? { headers: { "Retry-After": "Seconds until the next attempt." } } : {}),
});

/** The record store API. */
export const RECORD_OPERATIONS: readonly Operation[] = [
  {
    id: "call",
    method: "post",
    path: "/api",
    tag: "Records",
    summary: "Manage sessions; store, search and decode records",
    description:
      "A single endpoint: `route` selects the call, `method` is always `GET`. A login returns a token for the " +
      "session; validate and extend replace it. `credentials.token` counts; the cookie `svcauth` is ignored. The " +
      "panel posts its forms as `application/x-www-form-urlencoded` with the field `tmpl_sesstoken`, which has to " +
      "equal the cookie of that name; other clients send JSON, without it. A validate or extend call whose response " +
      "got lost can be repeated with the same `Idempotency-Key`: it returns the same token, " +
      "until that is replaced. A repeated store has the same response for 24 hours.",
    isGuarded: false,
    parameters: { header: IdempotencyHeader },
    body: { [JSON_TYPE]: Call },
    responses: [
      { status: 200, description: "The call succeeded.", content: { [JSON_TYPE]: Success } },
      failure(400, "The request is not valid."),
      failure(401, "The login, the password or the token is invalid or expired."),
      failure(
        403,
        "The scope of the session does not permit the call, or a form post has not the form token of its browser.",
      ),
      failure(404, "The route does not exist."),
      { ...failure(405, "The endpoint supports POST only."), headers: ALLOWED },
      failure(409, "The state of the session, or the chain, does not permit the call."),
      failure(413, "The request body is too large."),
      failure(422, "The `Idempotency-Key` was used for another record within 24 hours."),
      failure(429, "Too many calls."),
      failure(503, "The service is temporarily unavailable; retry later."),
    ],
    examples: RECORD_EXAMPLES,
  },
];
