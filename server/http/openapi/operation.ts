import type { z } from "zod";

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
  readonly parameters?: { readonly path?: z.ZodObject; readonly query?: z.ZodObject };
  /** The body by media type. */
  readonly body?: Readonly<Record<string, z.ZodType>>;
  readonly responses: readonly OperationResponse[];
  readonly examples: readonly Example[];
}

/** The headers of a response to an unsupported method. */
export const ALLOWED = { Allow: "The supported methods." };

export const JSON_TYPE = "application/json";
export const PROBLEM_TYPE = "application/problem+json";
