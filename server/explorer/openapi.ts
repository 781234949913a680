import { z } from "zod";
import { ALLOWED, type OperationResponse, JSON_TYPE, type Operation, PROBLEM_TYPE } from "../http/openapi/operation.ts";
import { Problem } from "../http/responses.ts";
import { exampleResponse, EXAMPLE_IDS, notFound } from "../http/openapi/examples.ts";
import {
  AddressActivity,
  ExploredAddress,
  ExploredAnchor,
  AnchorList,
  ExploredBlock,
  BlockList,
  ExploredChain,
  SearchResults,
  ExploredTransaction,
} from "./responses.ts";
import {
  ACTIVITY,
  BLOCK_LIST,
  EXAMPLE_ADDRESSES,
  EXPLORED_ADDRESS,
  EXPLORED_ANCHOR,
  EXPLORED_BLOCK,
  EXPLORED_CHAIN,
  EXPLORED_TRANSACTION,
  FOUND_ROOT,
} from "./examples.ts";
import { AddressParameter, BlockParameter, HashParameter, ListQuery, LogQuery, SearchQuery } from "./schemas.ts";

const TAG = "Explorer";
const UNKNOWN = "ab".repeat(32);

const problem = (status: number, description: string, headers?: OperationResponse["headers"]): OperationResponse => ({
  status,
  description,
  content: { [PROBLEM_TYPE]: Problem },
  ...(headers === undefined ? {} : { headers }),
});
const INVALID = problem(400, "The request is not valid.");
const MISSING = problem(404, "The chain does not contain the resource.");

/** An operation of the explorer: without credentials, about public data of the chain. */
const operation = (
  described: Pick<Operation, "id" | "path" | "summary" | "description" | "examples"> &
    Partial<Pick<Operation, "parameters">>,
  schema: z.ZodType,
  ...errors: readonly OperationResponse[]
): Operation => ({
  ...described,
  method: "get",
  path: `/explorer/api${described.path}`,
  tag: TAG,
  isGuarded: true,
  responses: [
    { status: 200, description: "The data of the chain.", content: { [JSON_TYPE]: schema } },
    ...errors,
    problem(401, "A valid API key or token is required."),
    problem(403, "The source network does not permit the request."),
    problem(405, "The path supports GET only.", ALLOWED),
    problem(429, "Too many requests from this network address.", {
      "Retry-After": "Seconds until the next attempt.",
    }),
    problem(503, "The node of the chain does not respond.", { "Retry-After": "Seconds until the next attempt." }),
  ],
});

/** The operations of the explorer. */
export const EXPLORER_OPERATIONS: readonly Operation[] = [
  operation(
    {
      id: "exploreChain",
      path: "/chain",
      summary: "Show the chain",
      description: "Returns the newest block and the addresses of the contracts.",
      examples: [{ name: "chain", summary: "The chain", response: exampleResponse(EXPLORED_CHAIN) }],
    },
    ExploredChain,
  ),
  operation(
    {
      id: "exploreBlocks",
      path: "/blocks",
      summary: "List blocks",
      description: "Newest first.",
      parameters: { query: ListQuery },
      examples: [
        { name: "newest", summary: "The newest entry", query: { limit: 1 }, response: exampleResponse(BLOCK_LIST) },
      ],
    },
    BlockList,
    INVALID,
  ),
  operation(
    {
      id: "exploreBlock",
      path: "/blocks/{id}",
      summary: "Show a block",
      description: "Returns a block with a page of its transactions and its commit seals.",
      parameters: { path: z.object({ id: BlockParameter }), query: ListQuery },
      examples: [
        { name: "number", summary: "By its number", path: { id: "1" }, response: exampleResponse(EXPLORED_BLOCK) },
        {
          name: "hash",
          summary: "By an unknown hash",
          path: { id: UNKNOWN },
          response: notFound(`the chain has no block 0x${UNKNOWN}`),
        },
      ],
    },
    ExploredBlock,
    INVALID,
    MISSING,
  ),
  operation(
    {
      id: "exploreTransaction",
      path: "/transactions/{hash}",
      summary: "Show a transaction",
      description:
        "Returns a transaction with its call and logs, decoded by the contracts' ABIs, and the current state of " +
        "its effect.",
      parameters: { path: z.object({ hash: HashParameter }) },
      examples: [
        {
          name: "anchor",
          summary: "An anchor",
          path: { hash: EXAMPLE_IDS.transaction },
          response: exampleResponse(EXPLORED_TRANSACTION),
        },
        {
          name: "unknown",
          summary: "Not found",
          path: { hash: UNKNOWN },
          response: notFound(`the chain has no transaction 0x${UNKNOWN}`),
        },
      ],
    },
    ExploredTransaction,
    INVALID,
    MISSING,
  ),
  operation(
    {
      id: "exploreAnchors",
      path: "/anchors",
      summary: "List anchors",
      description: "First anchors of hashes and roots, newest first.",
      parameters: { query: LogQuery },
      examples: [
        {
          name: "newest",
          summary: "The newest entry",
          query: { limit: 1 },
          response: exampleResponse({ anchors: [EXPLORED_ANCHOR], next: "11-0" }),
        },
      ],
    },
    AnchorList,
    INVALID,
  ),
  operation(
    {
      id: "exploreAnchor",
      path: "/anchors/{hash}",
      summary: "Show an anchor",
      description:
        "Returns the first anchor of a hash, or of the root of a batch. The chain does not contain the hashes " +
        "under a root; their proofs do.",
      parameters: { path: z.object({ hash: HashParameter }) },
      examples: [
        {
          name: "root",
          summary: "The root of a batch",
          path: { hash: EXAMPLE_IDS.batch },
          response: exampleResponse(EXPLORED_ANCHOR),
        },
        {
          name: "unknown",
          summary: "Not anchored",
          path: { hash: UNKNOWN },
          response: notFound(`0x${UNKNOWN} was not anchored`),
        },
      ],
    },
    ExploredAnchor,
    INVALID,
    MISSING,
  ),
  operation(
    {
      id: "exploreAddress",
      path: "/addresses/{address}",
      summary: "Show an address",
      description:
        "Returns the current roles of an address: contract, relayer, administrator, enrolled account, validator.",
      parameters: { path: z.object({ address: AddressParameter }) },
      examples: [
        {
          name: "contract",
          summary: "A contract",
          path: { address: EXAMPLE_ADDRESSES.ProofAnchor },
          response: exampleResponse(EXPLORED_ADDRESS),
        },
      ],
    },
    ExploredAddress,
    INVALID,
  ),
  operation(
    {
      id: "exploreActivity",
      path: "/addresses/{address}/activity",
      summary: "List the activity of an address",
      description:
        "Lists events of the contracts. A long range of blocks without an event ends the page; `next` continues " +
        "before it.",
      parameters: { path: z.object({ address: AddressParameter }), query: LogQuery },
      examples: [
        {
          name: "contract",
          summary: "A contract",
          path: { address: EXAMPLE_ADDRESSES.ProofAnchor },
          query: { limit: 100 },
          response: exampleResponse(ACTIVITY),
        },
      ],
    },
    AddressActivity,
    INVALID,
  ),
  operation(
    {
      id: "searchChain",
      path: "/search",
      summary: "Search by a number, a hash or an address",
      description: "The hash of a document itself is never on the chain and is not found.",
      parameters: { query: SearchQuery },
      examples: [
        {
          name: "root",
          summary: "The root of a batch",
          query: { q: EXAMPLE_IDS.batch },
          response: exampleResponse(FOUND_ROOT),
        },
        { name: "nothing", summary: "No result", query: { q: UNKNOWN }, response: exampleResponse({ results: [] }) },
      ],
    },
    SearchResults,
    INVALID,
  ),
];
