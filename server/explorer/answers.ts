import { z } from "zod";
import { Address, ChainHash, seconds, whole } from "../http/openapi/primitives.ts";

const next = z.string().optional().meta({ description: "The cursor of the next page; missing on the last one." });
const Wei = z.string().regex(/^\d+$/).meta({ id: "Wei", description: "An amount in wei, in decimal." });
const Hex = z
  .string()
  .regex(/^0x[0-9a-f]*$/)
  .meta({ id: "Hex", description: "Bytes as `0x` hex." });
const Contract = z.enum(["SessionRegistry", "EventTable", "ProofAnchor"]).meta({ id: "ContractName" });
const Validator = z
  .object({ address: Address, name: z.string().optional() })
  .meta({ id: "Validator", description: "Who proposes or seals blocks; the name is the one that is configured." });
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

const Kind = z
  .enum(["anchor", "record", "session", "administration", "deployment", "empty", "other"])
  .meta({ id: "ActionKind" });

const Argument = z.object({ name: z.string(), type: z.string(), value: z.union([z.string(), z.boolean()]) });
const Arguments = z
  .array(Argument)
  .meta({ id: "DecodedArguments", description: "Values as the contract's ABI names them; integers in decimal." });

const Event = z
  .object({ contract: Contract, name: z.string(), arguments: Arguments })
  .meta({ id: "DecodedEvent", description: "What an entry of the log says when one of the contracts wrote it." });

const Log = z
  .object({
    index: whole,
    address: Address,
    topics: z.array(ChainHash),
    data: Hex,
    event: Event.optional(),
  })
  .meta({ id: "DecodedLog", description: "An entry of the log." });

const AnchorAction = z.object({
  kind: z.literal("anchor"),
  hash: ChainHash,
  size,
  first: z
    .object({ block_number: whole, timestamp: seconds("That block's time"), size })
    .nullable()
    .meta({ description: "What the contract has: when the hash was first seen." }),
});

const RecordAction = z.object({
  kind: z.literal("record"),
  table: z.string(),
  row_id: z.string(),
  overwrites: z.boolean().meta({ description: "Whether an existing row would have been overwritten." }),
  compressed: z.boolean(),
  signature: z.string(),
  signer: Address.nullable().meta({ description: "Whose signature it is, recovered from the row." }),
  on_chain: z
    .enum(["current", "overwritten", "missing"])
    .meta({ description: "Whether the contract has this row, another in its place, or none." }),
  row: z
    .object({
      row_id: z.string(),
      sender: z.string(),
      code: z.string(),
      created_at: z.string(),
      payload: z.record(z.string(), z.unknown()),
      topic: z.string(),
      format: z.string(),
    })
    .optional()
    .meta({ description: "The seven segments." }),
  fault: z.string().optional().meta({ description: "Why the segments cannot be read." }),
});

const SessionAction = z.object({
  kind: z.literal("session"),
  step: z.enum(["open", "validate", "extend", "close"]),
  account: Address.optional(),
  token_hash: ChainHash,
  new_token_hash: ChainHash.optional(),
});

const Action = z
  .discriminatedUnion("kind", [
    AnchorAction,
    RecordAction,
    SessionAction,
    z.object({ kind: Kind.extract(["administration", "deployment", "empty", "other"]) }),
  ])
  .meta({ id: "Action", description: "What a transaction is about." });

export const ChainAnswer = z
  .object({
    chain_id: whole,
    first_block: whole.meta({ description: "The block in which the first contract was deployed." }),
    contracts: z.object({ SessionRegistry: Address, EventTable: Address, ProofAnchor: Address }),
    head: BlockSummary,
  })
  .meta({ id: "ExploredChain" });

export const BlockList = z
  .object({ blocks: z.array(BlockSummary), next })
  .meta({ id: "BlockList", description: "The newest first." });

const TransactionSummary = z.object({
  hash: ChainHash,
  index: whole,
  from: Address,
  to: Address.nullable(),
  kind: Kind,
  function: z.string().optional(),
  status: z.enum(["succeeded", "reverted"]),
});

export const BlockAnswer = z
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
      .meta({ description: "Missing on a chain whose blocks nobody seals." }),
    transactions: z.array(TransactionSummary),
    next,
  })
  .meta({ id: "ExploredBlock" });

export const TransactionAnswer = z
  .object({
    hash: ChainHash,
    status: z.enum(["pending", "succeeded", "reverted"]),
    reason: z
      .string()
      .optional()
      .meta({ description: "Why it was reverted, as the contract says of the same call now." }),
    block: BlockSummary.optional(),
    index: whole.optional(),
    confirmations: whole.optional().meta({ description: "Blocks from its own to the newest, both counted." }),
    from: Address,
    to: Address.nullable(),
    nonce: whole,
    value: Wei,
    gas_price: Wei,
    gas_limit: whole,
    gas_used: whole.optional(),
    input: Hex,
    action: Action,
    call: z
      .object({ contract: Contract, function: z.string(), signature: z.string(), arguments: Arguments })
      .optional()
      .meta({ description: "Missing for what is no call of one of the contracts." }),
    deployed: z.object({ address: Address, contract: Contract.optional() }).optional(),
    logs: z.array(Log),
  })
  .meta({ id: "ExploredTransaction" });

export const AnchorAnswer = z
  .object({ hash: ChainHash, size, tx_hash: ChainHash, block: BlockSummary })
  .meta({ id: "ExploredAnchor", description: "A hash, or the root of a batch, and when it was first seen." });

export const AnchorList = z.object({ anchors: z.array(AnchorAnswer), next }).meta({
  id: "AnchorList",
  description: "The newest first. A page that is not the last can have fewer entries than were asked for.",
});

export const AddressAnswer = z
  .object({
    address: Address,
    contract: Contract.optional().meta({ description: "Which of the contracts stands there." }),
    has_code: z.boolean(),
    relays: z.array(Contract).meta({ description: "Contracts that it writes to." }),
    administers: z.array(Contract).meta({ description: "Contracts whose roles it gives and takes." }),
    scope: z.enum(["read", "full"]).optional().meta({ description: "Scope of the account that is enrolled with it." }),
    validator: z.string().optional().meta({ description: "Its name, when it is a validator that has one." }),
    balance: Wei,
    sent: whole.meta({ description: "Transactions that it has sent." }),
  })
  .meta({ id: "ExploredAddress" });

export const ActivityAnswer = z
  .object({
    activity: z.array(z.object({ tx_hash: ChainHash, block: BlockSummary, address: Address, event: Event.optional() })),
    next,
  })
  .meta({
    id: "AddressActivity",
    description: "Events of the contracts, the newest first; a transaction that left none is not among them.",
  });

export const SearchAnswer = z
  .object({
    results: z.array(
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("block"), number: whole, hash: ChainHash }),
        z.object({ kind: z.literal("transaction"), hash: ChainHash }),
        z.object({ kind: z.literal("anchor"), hash: ChainHash, size }),
        z.object({ kind: z.literal("session"), hash: ChainHash }),
        z.object({ kind: z.literal("address"), address: Address }),
      ]),
    ),
  })
  .meta({
    id: "Findings",
    description: "Everything on the chain that goes by it; a hash can be of several things, or of none.",
  });
