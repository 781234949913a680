import type { z } from "zod";
import { Quantity } from "./fields.ts";
import { type Rpc, unavailable } from "./rpc.ts";

/**
 * Queries a node and checks the form of its response.
 * @returns `undefined` when the node does not have it
 * @throws SealbookError `chain_unavailable` also for a response of another form
 */
export async function query<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  schema: Schema,
  method: string,
  parameters: readonly unknown[],
): Promise<z.output<Schema> | undefined> {
  return parseResponse(schema, method, await rpc.call(method, parameters));
}

/** Checks the form of a node's response to a method; `undefined` for `null`. */
export function parseResponse<Schema extends z.ZodType>(
  schema: Schema,
  method: string,
  response: unknown,
): z.output<Schema> | undefined {
  return response === null ? undefined : parse(schema, method, response);
}

/**
 * Queries a node for a number.
 * @throws SealbookError `chain_unavailable` also when the response is none
 */
export async function fetchQuantity(
  rpc: Pick<Rpc, "call">,
  method: string,
  parameters: readonly unknown[],
): Promise<number> {
  return parse(Quantity, method, await rpc.call(method, parameters));
}

function parse<Schema extends z.ZodType>(schema: Schema, method: string, response: unknown): z.output<Schema> {
  const parsed = schema.safeParse(response);
  if (parsed.success) return parsed.data;
  throw unavailable(new Error(`the node's response to ${method} is malformed`, { cause: parsed.error }));
}
