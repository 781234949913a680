import type { z } from "zod";
import { Problem } from "../responses.ts";

/** An executable example: a request, with placeholders for ids and tokens, and its response. */
export interface Example {
  /** Unique within its operation. */
  readonly name: string;
  readonly summary: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** A string is the body itself; other values are serialized as JSON. */
  readonly body?: { readonly type: string; readonly value: unknown };
  readonly response: { readonly status: number; readonly type: string; readonly value: unknown };
}

/** A response of an operation. */
export interface OperationResponse {
  readonly status: number;
  readonly description: string;
  /** By media type. */
  readonly content: Readonly<Record<string, z.ZodType>>;
  /** Descriptions of the headers, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation of the HTTP API. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post";
  /** With its parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Whether the operation requires an API key or a token when the server is configured to. */
  readonly isGuarded: boolean;
  readonly parameters?: { readonly path?: z.ZodObject; readonly query?: z.ZodObject; readonly header?: z.ZodObject };
  /** The body by media type. */
  readonly body?: Readonly<Record<string, z.ZodType>>;
  readonly responses: readonly OperationResponse[];
  readonly examples: readonly Example[];
}

/** The headers of a response to an unsupported method. */
export const ALLOWED = { Allow: "The supported methods." };

export const JSON_TYPE = "application/json";
export const PROBLEM_TYPE = "application/problem+json";

const DESCRIPTIONS = {
  400: "The request is not valid.",
  401: "A valid API key or token is required.",
  403: "The source network or the scope of the credentials does not permit the request.",
  404: "The resource does not exist.",
  405: "The path does not support this method.",
  406: "None of the accepted media types is available.",
  409: "The chain does not confirm the resource, or not yet.",
  413: "The request body is too large.",
  415: "The media type of the request body is not supported.",
  422: "The `Idempotency-Key` was used for another request within 24 hours.",
  429: "Too many requests from this network address or caller.",
  503: "The service is temporarily unavailable; retry later.",
} as const;

const HEADERS: Readonly<Partial<Record<number, OperationResponse["headers"]>>> = {
  405: ALLOWED,
  429: { "Retry-After": "Seconds until the next attempt." },
  503: { "Retry-After": "Seconds until the next attempt." },
};

/** Returns the error responses by status. 401, 403, 405, 429 and 503 apply to every guarded operation. */
export function errorResponses(...statuses: readonly (keyof typeof DESCRIPTIONS)[]): OperationResponse[] {
  return ([...statuses, 401, 403, 405, 429, 503] as const)
    .toSorted((a, b) => a - b)
    .map((status) => {
      const headers = HEADERS[status];
      return {
        status,
        description: DESCRIPTIONS[status],
        content: { [PROBLEM_TYPE]: Problem },
        ...(headers === undefined ? {} : { headers }),
      };
    });
}
