import { CHAIN, EXAMPLE_IDS, ONE_BLOCK } from "../http/openapi/examples.ts";

/** Addresses that are placeholders for those of the current server. */
export const EXAMPLE_ADDRESSES = {
  ProofAnchor: CHAIN.contract,
  EventTable: "0x9D2f1bA2b6b5a2F5B7C1a4bD1d0c3C2e9F7A6b51",
  SessionRegistry: "0x2A1c45bE7f0dC6E1c8bD6fA5D0B94b3e6E2c7f18",
} as const;

const RELAYER = "0x5AA5B164215A310E59463e97b68264b00ae9AFE4";
const EMBEDDED = { address: "0x0000000000000000000000000000000000000000", name: "embedded" };
const ROOT = `0x${EXAMPLE_IDS.batch}`;
const RECORD_HASH = `0x${EXAMPLE_IDS.proof}`;

const BLOCK = {
  number: ONE_BLOCK.block_number,
  hash: ONE_BLOCK.block_hash,
  timestamp: ONE_BLOCK.timestamp,
  proposer: EMBEDDED,
  transaction_count: 1,
};

const ANCHOR_TOPIC = "0x5598f81654a551570e944f92d10bea632541f1202d606a899598d9bbc4eb22ad";
const ANCHORED = {
  contract: "ProofAnchor",
  name: "Anchored",
  arguments: [
    { name: "hash", type: "bytes32", value: RECORD_HASH },
    { name: "size", type: "uint32", value: "0" },
  ],
};

export const EXPLORED_CHAIN = { chain_id: CHAIN.chain_id, first_block: 1, contracts: EXAMPLE_ADDRESSES, head: BLOCK };
export const BLOCK_LIST = { blocks: [BLOCK], next: "9" };

export const EXPLORED_BLOCK = {
  ...BLOCK,
  parent_hash: "0x16ec39dc1045e60c1c15564d75f6553067ea6a4f1dda7ad70718d58d622e37f2",
  gas_used: 48_844,
  gas_limit: 30_000_000,
  size: 717,
  transactions: [
    {
      hash: EXAMPLE_IDS.transaction,
      index: 0,
      from: RELAYER,
      to: EXAMPLE_ADDRESSES.ProofAnchor,
      kind: "anchor",
      function: "anchor",
      status: "succeeded",
    },
  ],
};

export const EXPLORED_TRANSACTION = {
  hash: EXAMPLE_IDS.transaction,
  status: "succeeded",
  block: BLOCK,
  index: 0,
  confirmations: 3,
  from: RELAYER,
  to: EXAMPLE_ADDRESSES.ProofAnchor,
  nonce: 0,
  value: "0",
  gas_price: "0",
  gas_limit: 301_440,
  gas_used: 48_844,
  input: `0xeecdf927${EXAMPLE_IDS.proof}`,
  action: {
    kind: "anchor",
    hash: RECORD_HASH,
    size: 0,
    first: { block_number: BLOCK.number, timestamp: BLOCK.timestamp, size: 0 },
  },
  call: {
    contract: "ProofAnchor",
    function: "anchor",
    signature: "anchor(bytes32)",
    arguments: [{ name: "hash", type: "bytes32", value: RECORD_HASH }],
  },
  logs: [
    {
      index: 0,
      address: EXAMPLE_ADDRESSES.ProofAnchor,
      topics: [ANCHOR_TOPIC, RECORD_HASH],
      data: `0x${"0".repeat(64)}`,
      event: ANCHORED,
    },
  ],
};

export const EXPLORED_ANCHOR = {
  hash: ROOT,
  size: 2,
  tx_hash: "0x2b50e3cd7699a9ef55738d6e56ba6fc11f03defd1c37e87a47f012cce9eadbe5",
  block: { ...BLOCK, number: 11, hash: "0x3b0ce4f1bd8c213601d44c8542f0e16a1343f8092403eebd64f2fab7b13fb92e" },
};

export const EXPLORED_ADDRESS = {
  address: EXAMPLE_ADDRESSES.ProofAnchor,
  contract: "ProofAnchor",
  has_code: true,
  relays: [],
  administers: [],
  balance: "0",
  sent: 1,
};

export const ACTIVITY = {
  activity: [
    { tx_hash: EXAMPLE_IDS.transaction, block: BLOCK, address: EXAMPLE_ADDRESSES.ProofAnchor, event: ANCHORED },
  ],
};
export const FOUND_ROOT = { results: [{ kind: "anchor", hash: ROOT, size: 2 }] };
