import { z } from "zod";
import { parseHex } from "../../kit/hex.ts";

/** Bytes as JSON-RPC writes them. */
export const Data = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform((text) => parseHex("data", text));

/** A number of any size as JSON-RPC writes it; RLP writes it without leading zeros. */
export const BigQuantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(BigInt);
