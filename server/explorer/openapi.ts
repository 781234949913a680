import { z } from "zod";
import { ALLOWED, type Answer, JSON_TYPE, type Operation, PROBLEM_TYPE } from "../http/openapi/operation.ts";
import { Problem } from "../http/responses.ts";
import { answered, EXAMPLE_IDS, missing } from "../http/openapi/examples.ts";
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
import { AskedAddress, AskedBlock, AskedHash, ListQuestion, SearchQuestion } from "./schemas.ts";

const TAG = "Explorer";
const UNKNOWN = "ab".repeat(32);

const problem = (status: number, description: string, headers?: Answer["headers"]): Answer => ({
  status,
  description,
  content: { [PROBLEM_TYPE]: Problem },
  ...(headers === undefined ? {} : { headers }),
});
const INVALID = problem(400, "What was sent is not valid.");
const MISSING = problem(404, "The chain does not have it.");

/** What is asked of the explorer: without a key, and about what is on the chain only. */
const question = (
  operation: Pick<Operation, "id" | "path" | "summary" | "description" | "examples"> &
    Partial<Pick<Operation, "parameters">>,
  schema: z.ZodType,
  ...refusals: readonly Answer[]
): Operation => ({
  ...operation,
  method: "get",
  path: `/explorer/api${operation.path}`,
  tag: TAG,
  isGuarded: false,
  answers: [
    { status: 200, description: "What the chain has.", content: { [JSON_TYPE]: schema } },
    ...refusals,
    problem(403, "The caller's network does not allow this."),
    problem(405, "It is asked with GET only.", ALLOWED),
    problem(429, "Too many questions from this network address.", {
      "Retry-After": "Seconds after which to ask again.",
    }),
    problem(503, "The chain's node does not answer.", { "Retry-After": "Seconds after which to ask again." }),
  ],
});

/** The explorer. */
export const EXPLORER_OPERATIONS: readonly Operation[] = [
  question(
    {
      id: "exploreChain",
      path: "/chain",
      summary: "Tell which chain it is",
      description: "Its newest block, and where the contracts stand.",
      examples: [{ name: "chain", summary: "The chain", answer: answered(EXPLORED_CHAIN) }],
    },
    ExploredChain,
  ),
  question(
    {
      id: "exploreBlocks",
      path: "/blocks",
      summary: "List blocks",
      description: "The newest first.",
      parameters: { query: ListQuestion },
      examples: [{ name: "newest", summary: "The newest one", query: { limit: 1 }, answer: answered(BLOCK_LIST) }],
    },
    BlockList,
    INVALID,
  ),
  question(
    {
      id: "exploreBlock",
      path: "/blocks/{id}",
      summary: "Show a block",
      description: "With a page of its transactions, and who sealed it.",
      parameters: { path: z.object({ id: AskedBlock }), query: ListQuestion },
      examples: [
        { name: "number", summary: "By its number", path: { id: "1" }, answer: answered(EXPLORED_BLOCK) },
        {
          name: "hash",
          summary: "By a hash that no block has",
          path: { id: UNKNOWN },
          answer: missing(`the chain has no block 0x${UNKNOWN}`),
        },
      ],
    },
    ExploredBlock,
    INVALID,
    MISSING,
  ),
  question(
    {
      id: "exploreTransaction",
      path: "/transactions/{hash}",
      summary: "Show a transaction",
      description:
        "Its call and its log decoded by the contracts' ABIs, what it is about, and whether the chain holds that now.",
      parameters: { path: z.object({ hash: AskedHash }) },
      examples: [
        {
          name: "anchor",
          summary: "One that anchored a hash",
          path: { hash: EXAMPLE_IDS.transaction },
          answer: answered(EXPLORED_TRANSACTION),
        },
        {
          name: "unknown",
          summary: "There is none",
          path: { hash: UNKNOWN },
          answer: missing(`the chain has no transaction 0x${UNKNOWN}`),
        },
      ],
    },
    ExploredTransaction,
    INVALID,
    MISSING,
  ),
  question(
    {
      id: "exploreAnchors",
      path: "/anchors",
      summary: "List anchors",
      description: "Hashes and roots that were seen for the first time, the newest first.",
      parameters: { query: ListQuestion },
      examples: [
        {
          name: "newest",
          summary: "The newest one",
          query: { limit: 1 },
          answer: answered({ anchors: [EXPLORED_ANCHOR], next: "11-0" }),
        },
      ],
    },
    AnchorList,
    INVALID,
  ),
  question(
    {
      id: "exploreAnchor",
      path: "/anchors/{hash}",
      summary: "Show an anchor",
      description:
        "When a hash, or the root of a batch, was first seen. Which hashes are under a root is not on the chain: their proofs say it.",
      parameters: { path: z.object({ hash: AskedHash }) },
      examples: [
        {
          name: "root",
          summary: "The root of a batch",
          path: { hash: EXAMPLE_IDS.batch },
          answer: answered(EXPLORED_ANCHOR),
        },
        {
          name: "unknown",
          summary: "It was not anchored",
          path: { hash: UNKNOWN },
          answer: missing(`0x${UNKNOWN} was not anchored`),
        },
      ],
    },
    ExploredAnchor,
    INVALID,
    MISSING,
  ),
  question(
    {
      id: "exploreAddress",
      path: "/addresses/{address}",
      summary: "Show an address",
      description: "What it is now: a contract, a relayer, an administrator, an enrolled account, a validator.",
      parameters: { path: z.object({ address: AskedAddress }) },
      examples: [
        {
          name: "contract",
          summary: "A contract",
          path: { address: EXAMPLE_ADDRESSES.ProofAnchor },
          answer: answered(EXPLORED_ADDRESS),
        },
      ],
    },
    ExploredAddress,
    INVALID,
  ),
  question(
    {
      id: "exploreActivity",
      path: "/addresses/{address}/activity",
      summary: "List what an address did",
      description:
        "As events of the contracts tell it. Long stretches of the chain without one end a page, whose `next` leads further back.",
      parameters: { path: z.object({ address: AskedAddress }), query: ListQuestion },
      examples: [
        {
          name: "contract",
          summary: "Of a contract",
          path: { address: EXAMPLE_ADDRESSES.ProofAnchor },
          query: { limit: 100 },
          answer: answered(ACTIVITY),
        },
      ],
    },
    AddressActivity,
    INVALID,
  ),
  question(
    {
      id: "searchChain",
      path: "/search",
      summary: "Search by a number, a hash or an address",
      description: "A document's own hash is never on the chain, and is not found.",
      parameters: { query: SearchQuestion },
      examples: [
        { name: "root", summary: "The root of a batch", query: { q: EXAMPLE_IDS.batch }, answer: answered(FOUND_ROOT) },
        { name: "nothing", summary: "Nothing is found", query: { q: UNKNOWN }, answer: answered({ results: [] }) },
      ],
    },
    SearchResults,
    INVALID,
  ),
];
