import { z } from "zod";
import { ALLOWED, type Answer, JSON_TYPE, type Operation } from "../http/openapi/operation.ts";
import { Failure, type RecordRoute, successOf } from "./answers.ts";
import { RECORD_EXAMPLES } from "./examples.ts";
import { DecodeCall, SearchCall, StoreCall } from "./schemas.ts";
import { AuthCall, TokenCall } from "../sessions/index.ts";
import { Envelope } from "../http/record-store/schemas.ts";

/** A call of one route: the envelope's fields, and those of the route. */
const callOf = <Route extends RecordRoute, Schema extends z.ZodObject>(
  route: Route,
  name: string,
  schema: Schema,
  description: string,
) => z.object({ ...Envelope.shape, ...schema.shape, route: z.literal(route) }).meta({ id: `${name}Call`, description });

const CALLS = [
  callOf("/api/admin/auth", "Auth", AuthCall, "Opens a session."),
  callOf("/api/admin/session/validate", "Validate", TokenCall, "Replaces the token of a session that lives."),
  callOf(
    "/api/admin/session/extend",
    "Extend",
    TokenCall,
    "Gives a session that was validated a fresh lifetime, and replaces its token.",
  ),
  callOf("/api/admin/session/close", "Close", TokenCall, "Ends a session."),
  callOf("/api/datastore/event/store", "Store", StoreCall, "Stores a record; the answer comes when the chain has it."),
  callOf("/api/datastore/event/search", "Search", SearchCall, "Searches records, the newest first."),
  callOf(
    "/api/datastore/transaction/decode",
    "Decode",
    DecodeCall,
    "Decodes the call data of a transaction that stored a record.",
  ),
] as const;

const mapping = Object.fromEntries(
  CALLS.map((call) => [call.shape.route.value, `#/components/schemas/${call.meta()?.id}`]),
);

const Call = z.discriminatedUnion("route", CALLS).meta({ discriminator: { propertyName: "route", mapping } });

const Success = z.union(
  CALLS.map((call) => successOf(call.shape.route.value).meta({ id: call.meta()?.id?.replace("Call", "Answer") })),
);

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
