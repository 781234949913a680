import * as z from "zod";
import type { ResponseOf } from "../responses.ts";

/** The common fields of every call. */
export const Envelope = z.object({
  credentials: z.looseObject({}),
  method: z.literal("GET", "is not GET, the only method there is"),
  route: z.string(),
});

/** The credentials of a call of a session. */
export const TokenCredentials = z
  .object({ token: z.string() })
  .meta({ id: "Token", description: "The token of the session's newest response." });

/**
 * A call of the record store API, whose route is in the body: the one description of its requests and responses. The
 * server's checks, the OpenAPI document, and the client's types come from it.
 */
export interface RecordStoreCall {
  readonly route: string;
  /** Name of its schemas in the OpenAPI document. */
  readonly name: string;
  readonly description: string;
  /** Its fields besides those of the envelope. */
  readonly input: z.ZodObject;
  readonly content: z.ZodObject;
}

/** Defines a call. */
export function defineCall<const C extends RecordStoreCall>(call: C): C {
  return call;
}

/** The content of a call's successful response. */
export type ContentOf<C extends RecordStoreCall> = ResponseOf<C["content"]>;
