import type { z } from "zod";

/** A request that can be made as it stands, but for ids and tokens, and how it is answered. */
export interface Example {
  /** Unique within its operation. */
  readonly name: string;
  readonly summary: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** A text stands for itself, anything else for its JSON. */
  readonly body?: { readonly type: string; readonly value: unknown };
  readonly answer: { readonly status: number; readonly type: string; readonly value: unknown };
}

/** How requests of one outcome are answered. */
export interface Answer {
  readonly status: number;
  readonly description: string;
  /** By media type. */
  readonly content: Readonly<Record<string, z.ZodType>>;
  /** Descriptions of headers that matter, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Something that can be asked of the server over HTTP. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post";
  /** Parameters stand in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Whether API keys and tokens are asked for, where the server is configured to. */
  readonly isGuarded: boolean;
  readonly parameters?: { readonly path?: z.ZodObject; readonly query?: z.ZodObject };
  /** The body by media type. */
  readonly body?: Readonly<Record<string, z.ZodType>>;
  readonly answers: readonly Answer[];
  readonly examples: readonly Example[];
}

/** The headers of an answer to another method than a path has. */
export const ALLOWED = { Allow: "The methods that the path answers." };

export const JSON_TYPE = "application/json";
export const PROBLEM_TYPE = "application/problem+json";
