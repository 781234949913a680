import * as z from "zod";
import { pageCursor, pageLimit } from "../http/fields.ts";
import { defineRoute } from "../http/route.ts";
import type { LogPosition } from "./chain/newest-logs.ts";
import type { Sought } from "./explorer.ts";
import {
  AddressActivity,
  AnchorList,
  BlockList,
  DecodedCallData,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  SearchResults,
  TransactionList,
} from "./responses.ts";

const HASH = /^(0[xX])?[0-9a-fA-F]{64}$/;
const ADDRESS = /^(0[xX])?[0-9a-fA-F]{40}$/;
/** Block numbers within the safe integers. */
const NUMBER = /^\d{1,15}$/;
const MOST = 100;
const USUAL = 20;
/** Hex numbers within the safe integers; a hash and an address have more digits. */
const HEX_NUMBER = /^0[xX][0-9a-fA-F]{1,12}$/;
/** Bytes of call data: as many as the explorer decodes of a transaction. */
const MOST_CALL_BYTES = 256 * 1024;
const BLOCK = new RegExp(`${NUMBER.source}|${HASH.source}`);
const ANYTHING = new RegExp(`${BLOCK.source}|${ADDRESS.source}|${HEX_NUMBER.source}`);

/** A hash on the chain. */
const HashParameter = z
  .string()
  .regex(HASH, "is not a hash: 64 hexadecimal digits")
  .transform(withPrefix)
  .meta({ description: "A hash as 64 hexadecimal digits, with or without `0x`." });

/** The number or the hash of a block. */
const BlockParameter = z
  .string()
  .regex(BLOCK, "is neither a block's number nor its hash")
  .transform((text) => (NUMBER.test(text) ? Number(text) : withPrefix(text)))
  .meta({ description: "The number or the hash of a block." });

/** An address; its checksum is optional. */
const AddressParameter = z
  .string()
  .regex(ADDRESS, "is not an address: 40 hexadecimal digits")
  .transform(withPrefix)
  .meta({ description: "An address as 40 hexadecimal digits, with or without `0x`." });

/** The page of a list of blocks, or of the transactions of a block: the cursor is a number. */
const ListQuery = z.object({ limit: pageLimit(MOST, USUAL), cursor: pageCursor().optional() });

/** The page of a list of logs: the cursor is the position of the last log, a block and an index in it. */
const LogQuery = z.object({
  limit: pageLimit(MOST, USUAL),
  cursor: z
    .string()
    .regex(/^[0-9]{1,15}-[0-9]{1,9}$/, "is not a cursor of an earlier response")
    .transform((text): LogPosition => {
      const [block, index] = text.split("-").map(Number);
      return { block: block ?? 0, index: index ?? 0 };
    })
    .optional()
    .meta({ description: "`next` of the previous page." }),
});

/** The search text; its form determines the kinds of results. */
const SearchQuery = z.object({
  q: z
    .string()
    .trim()
    .regex(ANYTHING, "is no block number, no hash and no address")
    .transform(soughtOf)
    .meta({ description: "A block number, in decimal or as `0x` hex, a hash or an address." }),
});

/** Call data of one of the contracts. */
const CallDataBody = z
  .object({
    input: z
      .string()
      .max(2 + 2 * MOST_CALL_BYTES, `has more than ${MOST_CALL_BYTES} bytes`)
      .regex(/^0[xX](?:[0-9a-fA-F]{2}){4,}$/, "is not call data: 0x and an even number of digits, at least 8")
      .transform((text) => text.toLowerCase())
      .meta({ description: "`0x` and hexadecimal digits.", pattern: "^0[xX](?:[0-9a-fA-F]{2}){4,}$" }),
  })
  .meta({ id: "CallData", description: "Call data to decode." });

function soughtOf(text: string): Sought {
  if (NUMBER.test(text) || HEX_NUMBER.test(text)) return { kind: "number", number: Number(text) };
  if (HASH.test(text)) return { kind: "hash", hash: withPrefix(text) };
  return { kind: "address", address: withPrefix(text) };
}

function withPrefix(digits: string): string {
  return `0x${digits.replace(/^0x/i, "").toLowerCase()}`;
}

/** Common parts of the explorer's routes. */
const EXPLORER = { method: "get", tag: "Explorer", statuses: { 200: "The data of the chain." } } as const;

export const exploreChain = defineRoute({
  ...EXPLORER,
  id: "exploreChain",
  path: "/explorer/api/chain",
  summary: "Show the chain",
  description: "Returns the newest block and the addresses of the contracts.",
  result: ExploredChain,
});

export const exploreBlocks = defineRoute({
  ...EXPLORER,
  id: "exploreBlocks",
  path: "/explorer/api/blocks",
  summary: "List blocks",
  description: "Newest first.",
  query: ListQuery,
  result: BlockList,
});

export const exploreBlock = defineRoute({
  ...EXPLORER,
  id: "exploreBlock",
  path: "/explorer/api/blocks/{id}",
  summary: "Show a block",
  description: "Returns a block with a page of its transactions and its commit seals.",
  params: z.object({ id: BlockParameter }),
  query: ListQuery,
  result: ExploredBlock,
  errors: [404],
});

export const exploreTransactions = defineRoute({
  ...EXPLORER,
  id: "exploreTransactions",
  path: "/explorer/api/transactions",
  summary: "List transactions",
  description: "Newest first. A page ends after 100 blocks, or two seconds; `next` continues before them.",
  query: LogQuery.extend({
    without: z.literal("sessions", "is not sessions").optional().meta({ description: "Leaves those of sessions out." }),
  }),
  result: TransactionList,
});

export const exploreTransaction = defineRoute({
  ...EXPLORER,
  id: "exploreTransaction",
  path: "/explorer/api/transactions/{hash}",
  summary: "Show a transaction",
  description:
    "Returns a transaction with its call and logs, decoded by the contracts' ABIs, and the current state " +
    "of its effect.",
  params: z.object({ hash: HashParameter }),
  result: ExploredTransaction,
  errors: [404],
});

export const decodeCall = defineRoute({
  ...EXPLORER,
  method: "post",
  id: "decodeCall",
  path: "/explorer/api/decode",
  summary: "Decode call data",
  description:
    "Decodes a call of one of the contracts by its ABI, as a transaction is decoded, and returns the current state " +
    "of its effect.",
  body: CallDataBody,
  result: DecodedCallData,
});

export const exploreAnchors = defineRoute({
  ...EXPLORER,
  id: "exploreAnchors",
  path: "/explorer/api/anchors",
  summary: "List anchors",
  description: "First anchors of hashes and roots, newest first.",
  query: LogQuery,
  result: AnchorList,
});

export const exploreAnchor = defineRoute({
  ...EXPLORER,
  id: "exploreAnchor",
  path: "/explorer/api/anchors/{hash}",
  summary: "Show an anchor",
  description:
    "Returns the first anchor of a hash, or of the root of a batch. The chain does not contain the " +
    "hashes under a root; their proofs do.",
  params: z.object({ hash: HashParameter }),
  result: ExploredAnchor,
  errors: [404],
});

export const exploreAddress = defineRoute({
  ...EXPLORER,
  id: "exploreAddress",
  path: "/explorer/api/addresses/{address}",
  summary: "Show an address",
  description:
    "Returns the current roles of an address: contract, relayer, administrator, enrolled account, " + "validator.",
  params: z.object({ address: AddressParameter }),
  result: ExploredAddress,
});

export const exploreActivity = defineRoute({
  ...EXPLORER,
  id: "exploreActivity",
  path: "/explorer/api/addresses/{address}/activity",
  summary: "List the activity of an address",
  description:
    "Lists events of the contracts. A long range of blocks without an event ends the page; `next` " +
    "continues before it.",
  params: z.object({ address: AddressParameter }),
  query: LogQuery,
  result: AddressActivity,
});

export const searchChain = defineRoute({
  ...EXPLORER,
  id: "searchChain",
  path: "/explorer/api/search",
  summary: "Search by a number, a hash or an address",
  description: "The hash of a document itself is never on the chain and is not found.",
  query: SearchQuery,
  result: SearchResults,
});

/** The explorer's API. */
export const EXPLORER_ROUTES = [
  exploreChain,
  exploreBlocks,
  exploreBlock,
  exploreTransactions,
  exploreTransaction,
  decodeCall,
  exploreAnchors,
  exploreAnchor,
  exploreAddress,
  exploreActivity,
  searchChain,
];
