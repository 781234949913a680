import { getAddress } from "ethers";
import { z } from "zod";
import type { LogPosition } from "./explorer.ts";
import type { Sought } from "./search.ts";
import { inQuery, pageLimit } from "../http/fields.ts";

const HASH = /^(0[xX])?[0-9a-fA-F]{64}$/;
const ADDRESS = /^(0[xX])?[0-9a-fA-F]{40}$/;
/** Block numbers within the safe integers. */
const NUMBER = /^\d{1,15}$/;
const MOST = 100;
const USUAL = 20;
const BLOCK = new RegExp(`${NUMBER.source}|${HASH.source}`);
const ANYTHING = new RegExp(`${BLOCK.source}|${ADDRESS.source}`);

/** A hash on the chain. */
export const HashParameter = z
  .string()
  .regex(HASH, "is not a hash: 64 hexadecimal digits")
  .transform(withPrefix)
  .meta({ description: "A hash as 64 hexadecimal digits, with or without `0x`." });

/** The number or the hash of a block. */
export const BlockParameter = z
  .string()
  .regex(BLOCK, "is neither a block's number nor its hash")
  .transform((text) => (NUMBER.test(text) ? Number(text) : withPrefix(text)))
  .meta({ description: "The number or the hash of a block." });

/** An address; its checksum is optional. */
export const AddressParameter = z
  .string()
  .regex(ADDRESS, "is not an address: 40 hexadecimal digits")
  .transform((text) => getAddress(withPrefix(text)))
  .meta({ description: "An address as 40 hexadecimal digits, with or without `0x`." });

const NO_CURSOR = "is not a cursor of an earlier response";
const OF_CURSOR = { description: "`next` of the previous page." };

/** The page of a list of blocks, or of the transactions of a block: the cursor is a number. */
export const ListQuery = z.object({
  limit: pageLimit(MOST, USUAL),
  cursor: z
    .string()
    .regex(NUMBER, NO_CURSOR)
    .transform(Number)
    .optional()
    .meta({ ...inQuery(0, 999_999_999_999_999), ...OF_CURSOR }),
});

/** The page of a list of logs: the cursor is the position of the last log, a block and an index in it. */
export const LogQuery = z.object({
  limit: pageLimit(MOST, USUAL),
  cursor: z
    .string()
    .regex(/^[0-9]{1,15}-[0-9]{1,9}$/, NO_CURSOR)
    .transform((text): LogPosition => {
      const [block, index] = text.split("-").map(Number);
      return { block: block ?? 0, index: index ?? 0 };
    })
    .optional()
    .meta(OF_CURSOR),
});

/** The search text; its form determines the kinds of results. */
export const SearchQuery = z.object({
  q: z
    .string()
    .trim()
    .regex(ANYTHING, "is no block number, no hash and no address")
    .transform(soughtOf)
    .meta({ description: "A block number, a hash or an address." }),
});

function soughtOf(text: string): Sought {
  if (NUMBER.test(text)) return { kind: "number", number: Number(text) };
  if (HASH.test(text)) return { kind: "hash", hash: withPrefix(text) };
  return { kind: "address", address: getAddress(withPrefix(text)) };
}

function withPrefix(digits: string): string {
  return `0x${digits.replace(/^0x/i, "").toLowerCase()}`;
}
