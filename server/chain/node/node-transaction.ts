import { z } from "zod";
import { AddressText, BigQuantity, Hex, OptionalAddress, Quantity } from "../rpc/fields.ts";

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
