import type { z } from "zod";
import type { RequestOf, Route } from "../server/http/route.ts";
import type { HttpRequest } from "./http.ts";

type Fields<Schema> = Schema extends z.ZodType ? keyof z.input<Schema> & string : never;

/** What a request of a route has. */
export interface RouteInput<R extends Route> {
  readonly params?: Readonly<Record<Fields<R["params"]>, string | number>>;
  readonly query?: Readonly<Partial<Record<Fields<R["query"]>, string | number | undefined>>>;
  readonly body?: R extends { readonly body: infer Schema extends z.ZodType } ? RequestOf<Schema> : never;
}

/** Makes the request of a route. */
export function requestOf<R extends Route>(route: R, { params, query, body }: RouteInput<R>): HttpRequest {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) fields.set(name, String(value));
  const values: Readonly<Record<string, unknown>> = params ?? {};
  const path = route.path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  return {
    method: route.method === "get" ? "GET" : "POST",
    path: fields.size === 0 ? path : `${path}?${fields}`,
    ...(body === undefined ? {} : { body }),
  };
}
