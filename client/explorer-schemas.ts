import { z } from "zod";
import { hex32, whole } from "./primitives.ts";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "is not an address");
const wei = z.string().regex(/^\d+$/, "is not a whole number").transform(BigInt);
const contractName = z.enum(["SessionRegistry", "EventTable", "ProofAnchor"]);
const next = z.string().optional();

const Validator = z.looseObject({ address, name: z.string().optional() });

/** A block in a list; its time is in Unix seconds. */
export const BlockSummary = z.looseObject({
  number: whole,
  hash: hex32,
  timestamp: whole,
  proposer: Validator,
  transaction_count: whole,
});

const Argument = z.looseObject({ name: z.string(), type: z.string(), value: z.union([z.string(), z.boolean()]) });
const Event = z.looseObject({ contract: contractName, name: z.string(), arguments: z.array(Argument) });

export const DecodedLog = z.looseObject({
  index: whole,
  address,
  topics: z.array(hex32),
  data: z.string(),
  event: Event.optional(),
});

/** What a transaction is about. */
export const Action = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("anchor"),
    hash: hex32,
    /** Hashes under the root; 0 for a hash alone. */
    size: whole,
    /** When the contract first saw the hash. */
    first: z.looseObject({ block_number: whole, timestamp: whole, size: whole }).nullable(),
  }),
  z.looseObject({
    kind: z.literal("record"),
    table: z.string(),
    row_id: z.string(),
    overwrites: z.boolean(),
    compressed: z.boolean(),
    signature: z.string(),
    signer: address.nullable(),
    on_chain: z.enum(["current", "overwritten", "missing"]),
    row: z
      .looseObject({
        row_id: z.string(),
        sender: z.string(),
        code: z.string(),
        created_at: z.string(),
        payload: z.record(z.string(), z.unknown()),
        topic: z.string(),
        format: z.string(),
      })
      .optional(),
    fault: z.string().optional(),
  }),
  z.looseObject({
    kind: z.literal("session"),
    step: z.enum(["open", "validate", "extend", "close"]),
    account: address.optional(),
    token_hash: hex32,
    new_token_hash: hex32.optional(),
  }),
  z.looseObject({ kind: z.enum(["administration", "deployment", "empty", "other"]) }),
]);

export const ExploredChain = z.looseObject({
  chain_id: whole,
  first_block: whole,
  contracts: z.looseObject({ SessionRegistry: address, EventTable: address, ProofAnchor: address }),
  head: BlockSummary,
});

export const BlockList = z.looseObject({ blocks: z.array(BlockSummary), next });

export const ExploredBlock = BlockSummary.extend({
  parent_hash: hex32,
  gas_used: whole,
  gas_limit: whole,
  size: whole.optional(),
  commit_seals: z
    .looseObject({
      protocol: z.enum(["ibft2", "qbft"]),
      validators: z.array(Validator),
      signers: z.array(Validator),
      quorum: whole,
    })
    .optional(),
  transactions: z.array(
    z.looseObject({
      hash: hex32,
      index: whole,
      from: address,
      to: address.nullable(),
      kind: z.enum(["anchor", "record", "session", "administration", "deployment", "empty", "other"]),
      function: z.string().optional(),
      status: z.enum(["succeeded", "reverted"]),
    }),
  ),
  next,
});

export const ExploredTransaction = z.looseObject({
  hash: hex32,
  status: z.enum(["pending", "succeeded", "reverted"]),
  reason: z.string().optional(),
  block: BlockSummary.optional(),
  index: whole.optional(),
  confirmations: whole.optional(),
  from: address,
  to: address.nullable(),
  nonce: whole,
  value: wei,
  gas_price: wei,
  gas_limit: whole,
  gas_used: whole.optional(),
  input: z.string(),
  action: Action,
  call: z
    .looseObject({ contract: contractName, function: z.string(), signature: z.string(), arguments: z.array(Argument) })
    .optional(),
  deployed: z.looseObject({ address, contract: contractName.optional() }).optional(),
  logs: z.array(DecodedLog),
});

export const ExploredAnchor = z.looseObject({ hash: hex32, size: whole, tx_hash: hex32, block: BlockSummary });
export const AnchorList = z.looseObject({ anchors: z.array(ExploredAnchor), next });

export const ExploredAddress = z.looseObject({
  address,
  contract: contractName.optional(),
  has_code: z.boolean(),
  relays: z.array(contractName),
  administers: z.array(contractName),
  scope: z.enum(["read", "full"]).optional(),
  validator: z.string().optional(),
  balance: wei,
  sent: whole,
});

export const AddressActivity = z.looseObject({
  activity: z.array(z.looseObject({ tx_hash: hex32, block: BlockSummary, address, event: Event.optional() })),
  next,
});

export const Finding = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("block"), number: whole, hash: hex32 }),
  z.looseObject({ kind: z.literal("transaction"), hash: hex32 }),
  z.looseObject({ kind: z.literal("anchor"), hash: hex32, size: whole }),
  z.looseObject({ kind: z.literal("session"), hash: hex32 }),
  z.looseObject({ kind: z.literal("address"), address }),
]);

export const Findings = z.looseObject({ results: z.array(Finding) });

export type BlockSummary = z.output<typeof BlockSummary>;
export type DecodedLog = z.output<typeof DecodedLog>;
export type DecodedArgument = z.output<typeof Argument>;
export type Action = z.output<typeof Action>;
export type ExploredChain = z.output<typeof ExploredChain>;
export type BlockList = z.output<typeof BlockList>;
export type ExploredBlock = z.output<typeof ExploredBlock>;
export type ExploredTransaction = z.output<typeof ExploredTransaction>;
export type ExploredAnchor = z.output<typeof ExploredAnchor>;
export type AnchorList = z.output<typeof AnchorList>;
export type ExploredAddress = z.output<typeof ExploredAddress>;
export type AddressActivity = z.output<typeof AddressActivity>;
export type Finding = z.output<typeof Finding>;
