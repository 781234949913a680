import { getAddress } from "ethers";
import { z } from "zod";
import { parseHex } from "../../kit/bytes.ts";
import { type Rpc, unavailable } from "./rpc.ts";

/** A number in JSON-RPC. Rejects everything else: `Number` would convert `null` to 0, and a word to NaN. */
export const Quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(Number)
  .pipe(z.int().nonnegative());

/** A number of any size in JSON-RPC. */
export const BigQuantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(BigInt);

/** Bytes in JSON-RPC, decoded. */
export const Data = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform((text) => parseHex("data", text));

/** Bytes in JSON-RPC as lower-case text. */
export const Hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .toLowerCase();

/** A hash of 32 bytes as lower-case text. */
export const Hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .toLowerCase();

/** An address with EIP-55 checksum. */
export const AddressText = Hex.transform((text) => getAddress(text));

/** An address that nodes leave out, or set to null, when there is none. */
export const OptionalAddress = AddressText.nullish().transform((address) => address ?? undefined);

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
