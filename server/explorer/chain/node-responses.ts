import { getAddress } from "ethers";
import { z } from "zod";
import { BigQuantity } from "../../chain/evidence/rpc-fields.ts";
import { Quantity } from "../../chain/rpc/quantity.ts";
import { type Rpc, unavailable } from "../../chain/rpc/rpc.ts";

const Hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .toLowerCase();
const AddressText = Hex.transform((text) => getAddress(text));
/** Nodes leave out, or give null for, what is not there. */
const OptionalAddress = AddressText.nullish().transform((address) => address ?? undefined);

/** A transaction, in a block or still waiting for one. */
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

const blockFields = {
  number: Quantity,
  hash: Hex,
  parentHash: Hex,
  timestamp: Quantity,
  miner: AddressText,
  gasUsed: Quantity,
  gasLimit: Quantity,
  size: Quantity.optional(),
};

/** A block that was asked for without its transactions. */
export const NodeBlock = z.object({ ...blockFields, transactions: z.array(Hex) });
export type NodeBlock = z.output<typeof NodeBlock>;

/** A block with its transactions. */
export const WholeNodeBlock = z.object({ ...blockFields, transactions: z.array(NodeTransaction) });

export const NodeLog = z.object({
  address: AddressText,
  topics: z.array(Hex),
  data: Hex,
  blockNumber: Quantity,
  transactionHash: Hex,
  logIndex: Quantity,
});
export type NodeLog = z.output<typeof NodeLog>;

export const NodeReceipt = z.object({
  transactionHash: Hex,
  transactionIndex: Quantity,
  blockHash: Hex,
  blockNumber: Quantity,
  status: Quantity,
  gasUsed: Quantity,
  contractAddress: OptionalAddress,
  logs: z.array(NodeLog),
});

/**
 * Asks the node for something that it may not have.
 * @throws SealbookError `chain_unavailable` also when it answers in a form that is not known
 */
export async function ask<Schema extends z.ZodType>(
  rpc: Rpc,
  schema: Schema,
  method: string,
  parameters: readonly unknown[],
): Promise<z.output<Schema> | undefined> {
  return readAnswer(schema, await rpc.call(method, parameters));
}

/** What the node answered; `undefined` for `null`. */
export function readAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> | undefined {
  if (answer === null) return undefined;
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw unavailable(new Error("the node's answer is of a form that is not known", { cause: parsed.error }));
}
