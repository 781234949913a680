import type { z } from "zod";
import type { ResponseOf } from "./responses.ts";

/** The statuses of errors. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 422 | 429 | 503;

/** The meaning of a status and of its headers. */
export interface Meaning {
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A route of the HTTP API: the one description of its requests and responses. The server's checks, the OpenAPI
 * document, and the client's calls and types come from it. The `api.ts` files, which define routes, import only what
 * browsers can load.
 */
export interface Route {
  /** Name of the operation. */
  readonly id: string;
  readonly method: "get" | "post";
  /** With its parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Whether it is for everybody; the others need an API key or a token when the server requires one. */
  readonly isPublic?: true;
  readonly params?: z.ZodType<unknown, Record<string, unknown>>;
  readonly query?: z.ZodType<unknown, Record<string, unknown>>;
  /** Whether the header `Idempotency-Key` marks repetitions. */
  readonly isKeyed?: true;
  /** A JSON body. */
  readonly body?: z.ZodType;
  /** A line of a body that can be NDJSON as well. */
  readonly bodyLine?: z.ZodType;
  /** The JSON of a successful response. */
  readonly result?: z.ZodType;
  /** A line of a successful response as NDJSON. */
  readonly resultLine?: z.ZodType;
  /** Successful responses of other media types. */
  readonly media?: Readonly<Record<string, z.ZodType>>;
  readonly statuses: Readonly<Partial<Record<200 | 201 | 202, Meaning | string>>>;
  /** Errors besides those that follow from the input and the guards. */
  readonly errors?: readonly ErrorStatus[];
  /** The JSON of an error, where it is no problem by RFC 9457, and what statuses mean there. */
  readonly failure?: {
    readonly schema: z.ZodType;
    readonly descriptions: Readonly<Partial<Record<ErrorStatus, string>>>;
  };
}

/** Defines a route. */
export function defineRoute<const R extends Route>(route: R): R {
  return route;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** The parsed input of a route. */
export interface InputOf<R extends Route> {
  readonly params: Parsed<R["params"]>;
  readonly query: Parsed<R["query"]>;
  /** `undefined` as well when the body is NDJSON. */
  readonly body: Parsed<R["body"]> | (R extends { readonly bodyLine: z.ZodType } ? undefined : never);
  /** The idempotency key. */
  readonly key: string | undefined;
}

/** The JSON of a route's successful response. */
export type ResultOf<R extends Route> = R extends { readonly result: infer Schema extends z.ZodType }
  ? ResponseOf<Schema>
  : never;

/** The input of a schema on the side of the client: JSON leaves out fields that are `undefined`. */
export type RequestOf<Schema extends z.ZodType> = Sent<z.input<Schema>>;

type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Sent<T[Key]> | (object extends Pick<T, Key> ? undefined : never) }
    : T;
