import { getBytes } from "ethers";
import * as z from "zod";
import type { BlockReference } from "../block.ts";
import {
  Hash,
  Hex,
  Quantity,
  AddressText,
  BigQuantity,
  OptionalAddress,
  lookUp,
  lookUpInBlock,
  query,
} from "../rpc/query.ts";
import { type Rpc, toQuantity } from "../rpc/rpc.ts";

/** A transaction, in a block or pending. */
export const NodeTransaction = z.object({
  hash: Hex,
  from: AddressText,
  to: OptionalAddress,
  nonce: Quantity,
  value: BigQuantity,
  gas: Quantity,
  gasPrice: BigQuantity.default(0n),
  input: Hex,
  blockHash: Hex.nullish(),
});
export type NodeTransaction = z.output<typeof NodeTransaction>;

/**
 * A block with the hashes of its transactions. Callers that need few fields pick them: nodes and their stand-ins may
 * lack the others. The evidence reads all fields of a header as bytes, see `evidence/block-header.ts`.
 */
export const NodeBlock = z.object({
  number: Quantity,
  hash: Hash,
  parentHash: Hash,
  timestamp: Quantity,
  miner: Hex,
  gasUsed: Quantity,
  gasLimit: Quantity,
  size: Quantity.optional(),
  transactions: z.array(Hash),
});
export type NodeBlock = z.output<typeof NodeBlock>;

/** A block with its transactions. */
export const FullNodeBlock = NodeBlock.extend({ transactions: z.array(NodeTransaction) });

const Reference = NodeBlock.pick({ number: true, hash: true, timestamp: true, miner: true });

/** Names of proposers, by lower-case address. */
export type ValidatorNames = ReadonlyMap<string, string>;

/**
 * Fetches a block.
 * @param id Its number, its hash, or `finalized`
 * @param options.full With its transactions instead of their hashes
 * @returns `undefined` for a number after the node's newest block, an unknown hash, and before the first final block
 * @throws SealbookError `chain_unavailable`, also when the node lacks a block before its newest one
 */
export function fetchBlock<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  id: number | string,
  schema: Schema,
  { full = false }: { readonly full?: boolean } = {},
): Promise<z.output<Schema> | undefined> {
  if (typeof id === "number") return lookUpInBlock(rpc, id, schema, "eth_getBlockByNumber", [toQuantity(id), full]);
  return lookUp(rpc, schema, id.startsWith("0x") ? "eth_getBlockByHash" : "eth_getBlockByNumber", [id, full]);
}

/** Fetches the node's newest block, with the hashes of its transactions. */
export function fetchNewestBlock<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  schema: Schema,
): Promise<z.output<Schema>> {
  return query(rpc, schema, "eth_getBlockByNumber", ["latest", false]);
}

/** Reads a block in the form that the journal stores with a transaction; `undefined` as for {@link fetchBlock}. */
export async function readBlock(
  rpc: Pick<Rpc, "call">,
  number: number,
  names: ValidatorNames,
): Promise<BlockReference | undefined> {
  const block = await fetchBlock(rpc, number, Reference);
  if (block === undefined) return undefined;
  const { hash, timestamp, miner } = block;
  return { number: block.number, hash: getBytes(hash), time: timestamp, validator: names.get(miner) ?? miner };
}
