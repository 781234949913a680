import * as z from "zod";
import type { Route } from "../route.ts";
import { Envelope, type RecordStoreCall } from "./call.ts";
import { Failure, successOf } from "./responses.ts";

/** Describes the record store API: one endpoint, the route is in the body. */
export function recordStoreRoute(first: RecordStoreCall, ...others: readonly RecordStoreCall[]): Route {
  const bodyOf = ({ route, name, description, input }: RecordStoreCall) =>
    z.object({ ...Envelope.shape, ...input.shape, route: z.literal(route) }).meta({ id: `${name}Call`, description });
  return {
    id: "call",
    method: "post",
    path: "/api",
    tag: "Records",
    summary: "Manage sessions; store, search and decode records",
    description:
      "A single endpoint: `route` selects the call, `method` is always `GET`. A login returns a token for the " +
      "session; validate and extend replace it. `credentials.token` counts; the cookie `svcauth` is ignored. A " +
      "validate or extend call whose response got lost can be repeated with the same `Idempotency-Key`: it returns " +
      "the same token, until that is replaced. A repeated store has the same response for 24 hours.",
    isPublic: true,
    isKeyed: true,
    body: z.discriminatedUnion("route", [bodyOf(first), ...others.map(bodyOf)]),
    result: z.union(
      [first, ...others].map(({ route, name, content }) => successOf(route, content).meta({ id: `${name}Response` })),
    ),
    statuses: { 200: "The call succeeded." },
    errors: [401, 403, 404, 409, 503],
    failure: {
      schema: Failure,
      descriptions: {
        401: "The login, the password or the token is invalid or expired.",
        403: "The scope of the session does not permit the call.",
        404: "The route does not exist.",
        409: "The state of the session, or the chain, does not permit the call.",
        422: "The `Idempotency-Key` was used for another record within 24 hours.",
      },
    },
  };
}
