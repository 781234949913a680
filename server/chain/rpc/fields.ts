import { getAddress } from "ethers";
import { z } from "zod";
import { parseHex } from "../../kit/hex.ts";

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
