import { setTimeout as sleep } from "node:timers/promises";
import { getAddress } from "ethers";
import * as z from "zod";
import { parseHex } from "../../kit/bytes.ts";
import { SealbookError } from "../../errors.ts";
import { NodeError } from "./node-error.ts";
import { ContradictionError, LaggingError, MalformedError, type Rpc, unavailable } from "./rpc.ts";

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

/** A contract's code, or the result of a call, as lower-case text; `0x` for none. */
export const Code = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
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
 * Queries a node for something that it always has.
 * @throws SealbookError `chain_unavailable` also for a response of another form, `null`, or an error of the node
 */
export async function query<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  schema: Schema,
  method: string,
  parameters: readonly unknown[],
): Promise<z.output<Schema>> {
  const response = await callNode(rpc, method, parameters);
  if (response === null) throw unavailable(new MalformedError(`the node's response to ${method} is null`));
  return parseResponse(schema, method, response);
}

/**
 * Looks something up by its hash, which a node can lack.
 * @returns `undefined` when the node does not have it: as of its newest block, which can be an older one than that of
 *   another node
 * @throws SealbookError as {@link query}
 */
export async function lookUp<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  schema: Schema,
  method: string,
  parameters: readonly unknown[],
): Promise<z.output<Schema> | undefined> {
  const response = await callNode(rpc, method, parameters);
  return response === null ? undefined : parseResponse(schema, method, response);
}

/** Attempts of a node that lacks a block at or below its newest one, and the time between them. */
const LACKING_ATTEMPTS = 3;
const LACKING_MILLISECONDS = 100;

/**
 * Looks something up that every block has. A node that lacks it is asked for its newest block in the same request, so
 * that the same node of several behind one address responds to both.
 * @returns `undefined` for a block after the node's newest one
 * @throws SealbookError as {@link query}; caused by {@link ContradictionError} when the node has a block of that number
 */
export async function lookUpInBlock<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  number: number,
  schema: Schema,
  method: string,
  parameters: readonly unknown[],
): Promise<z.output<Schema> | undefined> {
  return lookUpWithHead(rpc, number, method, () => lookUp(rpc, schema, method, parameters));
}

/** As {@link lookUpInBlock}, for a look-up of several calls. */
export async function lookUpWithHead<T>(
  rpc: Pick<Rpc, "call">,
  number: number,
  method: string,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let found = await look();
  for (let attempt = 1; found === undefined; attempt += 1) {
    const again = look();
    const [head] = await Promise.all([fetchHead(rpc), again]);
    found = await again;
    if (found !== undefined || head < number) return found;
    if (attempt === LACKING_ATTEMPTS)
      throw unavailable(
        new ContradictionError(
          `the node returns null to ${method} of block ${number}, but its newest block is ${head}`,
        ),
      );
    await sleep(LACKING_MILLISECONDS);
  }
  return found;
}

/** Fetches the number of the node's newest block. */
export function fetchHead(rpc: Pick<Rpc, "call">): Promise<number> {
  return fetchQuantity(rpc, "eth_blockNumber", []);
}

/**
 * Runs a query about a range of blocks: its result counts only when the same node has the last one.
 * @throws SealbookError caused by {@link LaggingError} when the node lacks it
 */
export async function withBlocksTo<T>(rpc: Pick<Rpc, "call">, number: number, result: Promise<T>): Promise<T> {
  // Both are in one request, and the node is asked for its newest block last.
  const [value, head] = await Promise.all([result, fetchHead(rpc)]);
  if (head >= number) return value;
  throw unavailable(new LaggingError(`the node has blocks to ${head} only, not to ${number}`));
}

/**
 * Queries a node for a number.
 * @throws SealbookError `chain_unavailable` also when the response is none
 */
export function fetchQuantity(rpc: Pick<Rpc, "call">, method: string, parameters: readonly unknown[]): Promise<number> {
  return query(rpc, Quantity, method, parameters);
}

/**
 * Fetches the chain id.
 * @throws SealbookError `config_invalid` for one above 2^53 - 1
 */
export async function fetchChainIdOf(rpc: Pick<Rpc, "call">): Promise<number> {
  const chainId = await query(rpc, BigQuantity, "eth_chainId", []);
  if (chainId <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(chainId);
  throw new SealbookError(
    "config_invalid",
    `the chain's id is ${chainId}; chain ids above 2^53-1 (${Number.MAX_SAFE_INTEGER}) are not supported`,
  );
}

async function callNode(rpc: Pick<Rpc, "call">, method: string, parameters: readonly unknown[]): Promise<unknown> {
  try {
    return await rpc.call(method, parameters);
  } catch (error) {
    throw error instanceof NodeError ? unavailable(error) : error;
  }
}

/** Checks the form of a node's response to a method. */
export function parseResponse<Schema extends z.ZodType>(
  schema: Schema,
  method: string,
  response: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(response);
  if (parsed.success) return parsed.data;
  throw unavailable(new MalformedError(`the node's response to ${method} is malformed`, { cause: parsed.error }));
}
