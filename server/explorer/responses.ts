import * as z from "zod";
import { RowChecks, RowVerdict } from "../http/record-store/responses.ts";
import { Address, ChainHash, next, type ResponseOf, seconds, whole } from "../http/responses.ts";

const Wei = z.string().regex(/^\d+$/).meta({ id: "Wei", description: "An amount in wei, in decimal." });
const Hex = z
  .string()
  .regex(/^0x[0-9a-f]*$/)
  .meta({ id: "Hex", description: "Bytes as `0x` hex." });
const Contract = z.enum(["SessionRegistry", "EventTable", "ProofAnchor"]).meta({ id: "ContractName" });
const Validator = z
  .object({ address: Address, name: z.string().optional() })
  .meta({ id: "Validator", description: "A validator; the name comes from the configuration." });
const size = whole.meta({ description: "Hashes under the root; 0 for a hash alone." });

export const BlockSummary = z
  .object({
    number: whole,
    hash: ChainHash,
    timestamp: seconds("The block's time"),
    proposer: Validator,
    transaction_count: whole,
  })
  .meta({ id: "BlockSummary" });

const ActionKind = z
  .enum(["anchor", "record", "session", "administration", "deployment", "empty", "other"])
  .meta({ id: "ActionKind" });

const DecodedArgument = z.object({ name: z.string(), type: z.string(), value: z.union([z.string(), z.boolean()]) });
const Arguments = z
  .array(DecodedArgument)
  .meta({ id: "DecodedArguments", description: "Values as the contract's ABI names them; integers in decimal." });

const Event = z
  .object({ contract: Contract, name: z.string(), arguments: Arguments })
  .meta({ id: "DecodedEvent", description: "A log entry, decoded, of one of the contracts." });

const DecodedLog = z
  .object({
    index: whole,
    address: Address,
    topics: z.array(ChainHash),
    data: Hex,
    event: Event.optional(),
  })
  .meta({ id: "DecodedLog", description: "A log entry of a transaction." });

const FirstAnchor = z
  .object({ block_number: whole, timestamp: seconds("That block's time"), size })
  .meta({ id: "FirstAnchor", description: "The first anchor of the hash in the contract." });

const AnchorAction = z.object({
  kind: z.literal("anchor"),
  hash: ChainHash,
  size,
  first: FirstAnchor.nullable(),
});

const DecodedRow = z
  .object({
    row_id: z.string(),
    sender: z.string(),
    code: z.string(),
    created_at: z.string(),
    payload: z.record(z.string(), z.unknown()),
    payload_base64: z.base64().meta({ description: "The JSON text of the payload, in base64." }),
    topic: z.string(),
    format: z.string(),
  })
  .meta({ id: "DecodedRow", description: "The seven segments of a row." });

const RecordAction = z.object({
  kind: z.literal("record"),
  table: z.string(),
  row_id: z.string(),
  overwrites: z.boolean().meta({ description: "Whether the call may overwrite an existing row." }),
  compressed: z.boolean(),
  signature: z.string(),
  signer: Address.nullable().meta({
    description: "The signer, recovered from the signature; `null` for an invalid one.",
  }),
  checks: RowChecks.optional().meta({ description: "Missing when the segments cannot be decoded." }),
  on_chain: z
    .enum(["current", "overwritten", "missing"])
    .meta({ description: "The state of the row in the contract: this row, another row, or none." }),
  record: RowVerdict.nullable().meta({
    description: "The row in this server's index of the chain; `null` when no indexed contract has it.",
  }),
  row: DecodedRow.optional(),
  fault: z.string().optional().meta({ description: "The reason that the segments cannot be decoded." }),
});

const SessionAction = z.object({
  kind: z.literal("session"),
  step: z.enum(["open", "validate", "extend", "close"]),
  session: ChainHash.meta({ description: "Identifier of the session, which starts with its account." }),
  account: Address,
  token_hash: ChainHash,
  new_token_hash: ChainHash.optional(),
});

export const Action = z
  .discriminatedUnion("kind", [
    AnchorAction.meta({ id: "AnchorAction" }),
    RecordAction.meta({ id: "RecordAction" }),
    SessionAction.meta({ id: "SessionAction" }),
    z
      .object({ kind: ActionKind.extract(["administration", "deployment", "empty", "other"]) })
      .meta({ id: "OtherAction" }),
  ])
  .meta({ id: "Action", description: "The action of a transaction, decoded from its call." });

export const ExploredChain = z
  .object({
    chain_id: whole,
    first_block: whole.meta({ description: "The block of the first contract's deployment." }),
    contracts: z.object({ SessionRegistry: Address, EventTable: Address, ProofAnchor: Address }),
    head: BlockSummary,
  })
  .meta({ id: "ExploredChain" });

export const BlockList = z
  .object({ blocks: z.array(BlockSummary), next })
  .meta({ id: "BlockList", description: "Newest first." });

const TransactionSummary = z.object({
  hash: ChainHash,
  index: whole,
  from: Address,
  to: Address.nullable(),
  kind: ActionKind,
  function: z.string().optional(),
  status: z.enum(["succeeded", "reverted"]),
});

export const TransactionList = z
  .object({ transactions: z.array(TransactionSummary.extend({ block: BlockSummary })), next })
  .meta({ id: "TransactionList", description: "Newest first. Any page can have fewer entries than `limit`." });

export const ExploredBlock = z
  .object({
    ...BlockSummary.shape,
    parent_hash: ChainHash,
    gas_used: whole,
    gas_limit: whole,
    size: whole.optional(),
    commit_seals: z
      .object({
        protocol: z.enum(["ibft2", "qbft"]),
        validators: z.array(Validator),
        signers: z.array(Validator),
        quorum: whole,
      })
      .optional()
      .meta({ description: "The commit seals of the validators; missing on a chain without BFT consensus." }),
    transactions: z.array(TransactionSummary),
    next,
  })
  .meta({ id: "ExploredBlock" });

const Call = z
  .object({ contract: Contract, function: z.string(), signature: z.string(), arguments: Arguments })
  .meta({ id: "DecodedCall", description: "A call of one of the contracts." });

const undecoded = z
  .string()
  .optional()
  .meta({ description: "The reason that the call was not decoded: the budget that it exceeds." });

export const DecodedCallData = z
  .object({ action: Action, call: Call.optional(), undecoded })
  .meta({ id: "DecodedCallData", description: "Call data, decoded, and the current state of their effect." });

export const ExploredTransaction = z
  .object({
    hash: ChainHash,
    status: z.enum(["pending", "succeeded", "reverted"]),
    reason: z.string().optional().meta({ description: "The reason for the revert, from a repetition of the call." }),
    block: BlockSummary.optional(),
    index: whole.optional(),
    confirmations: whole
      .optional()
      .meta({ description: "The number of blocks from its block to the newest, inclusive." }),
    from: Address,
    to: Address.nullable(),
    nonce: whole,
    value: Wei,
    gas_price: Wei,
    gas_limit: whole,
    gas_used: whole.optional(),
    input: Hex,
    action: Action,
    call: Call.optional().meta({ description: "Missing when the transaction does not call one of the contracts." }),
    undecoded,
    deployed: z.object({ address: Address, contract: Contract.optional() }).optional(),
    logs: z.array(DecodedLog),
  })
  .meta({ id: "ExploredTransaction" });

export const ExploredAnchor = z
  .object({ hash: ChainHash, size, tx_hash: ChainHash, block: BlockSummary })
  .meta({ id: "ExploredAnchor", description: "A hash, or the root of a batch, and its first anchor." });

export const AnchorList = z.object({ anchors: z.array(ExploredAnchor), next }).meta({
  id: "AnchorList",
  description: "Newest first. Any page can have fewer entries than `limit`.",
});

export const ExploredAddress = z
  .object({
    address: Address,
    contract: Contract.optional().meta({ description: "The contract at this address." }),
    has_code: z.boolean(),
    relays: z.array(Contract).meta({ description: "Contracts for which it has the relayer role." }),
    administers: z.array(Contract).meta({ description: "Contracts that it administers." }),
    scope: z.enum(["read", "full"]).optional().meta({ description: "The scope of its enrolled account." }),
    validator: z.string().optional().meta({ description: "The configured name of the validator." }),
    balance: Wei,
    sent: whole.meta({ description: "The number of transactions that it sent." }),
  })
  .meta({ id: "ExploredAddress" });

export const AddressActivity = z
  .object({
    activity: z.array(z.object({ tx_hash: ChainHash, block: BlockSummary, address: Address, event: Event.optional() })),
    next,
  })
  .meta({
    id: "AddressActivity",
    description: "Events of the contracts, newest first. A transaction without an event is not listed.",
  });

const SearchResult = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("block"), number: whole, hash: ChainHash }).meta({ id: "FoundBlock" }),
  z.object({ kind: z.literal("transaction"), hash: ChainHash }).meta({ id: "FoundTransaction" }),
  z.object({ kind: z.literal("anchor"), hash: ChainHash, size }).meta({ id: "FoundAnchor" }),
  z.object({ kind: z.literal("session"), hash: ChainHash }).meta({ id: "FoundSession" }),
  z.object({ kind: z.literal("address"), address: Address }).meta({ id: "FoundAddress" }),
]);

export const SearchResults = z.object({ results: z.array(SearchResult) }).meta({
  id: "SearchResults",
  description: "Everything on the chain with this number, hash or address.",
});

export type BlockSummary = ResponseOf<typeof BlockSummary>;
export type DecodedLog = ResponseOf<typeof DecodedLog>;
export type DecodedArgument = ResponseOf<typeof DecodedArgument>;
export type Action = ResponseOf<typeof Action>;
export type ExploredChain = ResponseOf<typeof ExploredChain>;
export type BlockList = ResponseOf<typeof BlockList>;
export type ExploredBlock = ResponseOf<typeof ExploredBlock>;
export type DecodedCallData = ResponseOf<typeof DecodedCallData>;
export type TransactionList = ResponseOf<typeof TransactionList>;
export type ListedTransaction = TransactionList["transactions"][number];
export type ExploredTransaction = ResponseOf<typeof ExploredTransaction>;
export type ExploredAnchor = ResponseOf<typeof ExploredAnchor>;
export type AnchorList = ResponseOf<typeof AnchorList>;
export type ExploredAddress = ResponseOf<typeof ExploredAddress>;
export type AddressActivity = ResponseOf<typeof AddressActivity>;
export type SearchResult = ResponseOf<typeof SearchResult>;
export type SearchResults = ResponseOf<typeof SearchResults>;
