import { hexlify, keccak256 } from "ethers";
import * as z from "zod";
import type { BlockReference } from "../block.ts";
import type { ValidatorHistory } from "../consensus/validators.ts";
import { fetchBlock, type ValidatorNames } from "../node/node-block.ts";
import { fetchBlockReceipts } from "../node/receipt.ts";
import { equalBytes } from "../../kit/bytes.ts";
import { ContradictionError, type Rpc, toQuantity, unavailable } from "../rpc/rpc.ts";
import { type ProvenBytes, listKey, listTrie, type MerkleTrie } from "./merkle-trie.ts";
import { encodeHeader, HashedHeader, unknownFields } from "./block-header.ts";
import { hasTransactions, mayHaveLogsOf } from "./logs-bloom.ts";
import type { Address } from "../transaction.ts";
import { commitSignersOf, hasCommitQuorum, type Consensus, consensusOf } from "./consensus-seals.ts";
import { ConsensusReceipt, encodeReceipt } from "./receipt-encoding.ts";
import { BlockTransaction, isKnownType, UnknownTransaction, transactionBytesOf } from "./transaction-encoding.ts";

const Block = HashedHeader.extend({ transactions: z.array(z.union([BlockTransaction, UnknownTransaction])) });

/** Field names in a message. */
const MOST_NAMES = 10;

/** Rules of the check of a header. */
export interface BlockRules {
  readonly names: ValidatorNames;
  readonly validators: ValidatorHistory;
}

/** A block whose header has its hash and, on a BFT chain, the commit seals of known validators. */
export interface VerifiedHeader extends Consensus {
  readonly reference: BlockReference;
  readonly parentHash: Uint8Array;
  readonly hasTransactions: boolean;
  /** Whether the block can have a log of one of these contracts. */
  mayHaveLogsOf(contracts: readonly Address[]): boolean;
}

/** Returns whether a block is the next one after that with a hash. */
export function follows({ parentHash }: Pick<VerifiedHeader, "parentHash">, before: Uint8Array | undefined): boolean {
  return before !== undefined && equalBytes(parentHash, before);
}

/** A block with its transactions and receipts, all checked against the block's hash. */
export interface VerifiedBlock extends VerifiedHeader {
  /** RLP. */
  readonly header: Uint8Array;
  readonly transactions: readonly MinedTransaction[];
  transaction(index: number): ProvenBytes;
  receipt(index: number): ProvenBytes;
}

/** Returns whether a block was read with its transactions. */
export function isWhole(block: VerifiedHeader): block is VerifiedBlock {
  return "transactions" in block;
}

/** A transaction of a verified block, with its outcome. */
export interface MinedTransaction {
  /** `0x` hex. */
  readonly hash: string;
  /** Empty for the deployment of a contract. */
  readonly to: Uint8Array;
  readonly input: Uint8Array;
  readonly succeeded: boolean;
  readonly logs: ConsensusReceipt["logs"];
}

/**
 * Fetches a block's header and checks it.
 * @returns `undefined` when the node does not have the block
 * @throws SealbookError `chain_unavailable` also when the header contradicts its hash, or validators did not seal it
 */
export async function readVerifiedHeader(
  rpc: Pick<Rpc, "call">,
  number: number,
  rules: BlockRules,
): Promise<VerifiedHeader | undefined> {
  const header = await fetchBlock(rpc, number, HashedHeader);
  return header && verifiedHeader(number, header, rules);
}

/**
 * Fetches a block and checks all of it.
 * @returns `undefined` when the node does not have it
 * @throws SealbookError `chain_unavailable` also when the node's responses contradict each other
 */
export async function readVerifiedBlock(
  rpc: Pick<Rpc, "call">,
  number: number,
  rules: BlockRules,
): Promise<VerifiedBlock | undefined> {
  const [block, receipts] = await Promise.all([
    fetchBlock(rpc, number, Block, { full: true }),
    fetchBlockReceipts(rpc, number, ConsensusReceipt),
  ]);
  if (block === undefined || receipts === undefined) return undefined;
  const header = await verifiedHeader(number, block, rules);
  const transactionBytes = await transactionBytesOf(rpc, block.transactions, (why) => inconsistent(number, why));
  if (receipts.some(({ status, root }) => (status ?? root ?? undefined) === undefined))
    throw inconsistent(number, "a receipt has no outcome");
  const receiptBytes = receipts.map(encodeReceipt);
  const transactionTrie = listTrie(transactionBytes);
  const receiptTrie = listTrie(receiptBytes);
  if (!equalBytes(transactionTrie.root, block.transactionsRoot)) {
    throw inconsistent(number, "its transactions are not those of its header");
  }
  if (!equalBytes(receiptTrie.root, block.receiptsRoot)) {
    throw inconsistent(number, `its receipts are not those of its header${otherTypes(receipts)}`);
  }
  const transactions = block.transactions.map(({ to, input }, index): MinedTransaction => {
    const { status, logs = [], blockHash, transactionHash } = receipts[index] ?? {};
    const hash = keccak256(transactionBytes[index] ?? "0x");
    if (!equalBytes(blockHash, block.hash) || hexlify(transactionHash ?? "0x") !== hash)
      throw inconsistent(number, "its receipts name another block or transaction");
    return { hash, to, input, succeeded: status === 1n, logs };
  });
  const entry = (all: readonly Uint8Array[], trie: MerkleTrie, index: number): ProvenBytes => {
    const raw = all[index];
    if (raw === undefined) throw new RangeError(`Block ${number} has no transaction ${index}`);
    return { raw, proof: trie.proof(listKey(index)) };
  };
  return {
    ...header,
    header: encodeHeader(block),
    transactions,
    transaction: (index) => entry(transactionBytes, transactionTrie, index),
    receipt: (index) => entry(receiptBytes, receiptTrie, index),
  };
}

async function verifiedHeader(
  number: number,
  header: z.output<typeof HashedHeader>,
  { names, validators }: BlockRules,
): Promise<VerifiedHeader> {
  const consensus = consensusOf(header, header.hash);
  if (consensus === undefined) throw inconsistent(number, `its header does not have its hash${laterFork(header)}`);
  if (header.number !== BigInt(number)) throw inconsistent(number, `it is block ${header.number}`);
  if (!(await isSealed(number, header, consensus, validators)))
    throw inconsistent(number, "its validators did not seal it");
  const miner = hexlify(header.miner);
  return {
    ...consensus,
    parentHash: header.parentHash,
    hasTransactions: hasTransactions(header),
    mayHaveLogsOf: (contracts) => mayHaveLogsOf(header, contracts),
    reference: {
      number,
      hash: header.hash,
      time: Number(header.timestamp),
      validator: names.get(miner) ?? miner,
    },
  };
}

/**
 * Returns whether a quorum of the block's validators signed it, and the server accepts these validators. The first
 * block has no seals. Where a contract lists the validators, headers do not: only the hash is checked, unless earlier
 * headers did list them. A chain that has seals does not have blocks without.
 */
async function isSealed(
  number: number,
  header: z.output<typeof HashedHeader>,
  { protocol, validators: listed }: Consensus,
  known: ValidatorHistory,
): Promise<boolean> {
  if (number === 0) return true;
  if (protocol === "none") return known.isEmpty;
  if (known.hasChecked(header.hash)) return true;
  if (listed.length === 0) return known.isEmpty || known.sealed(number, commitSignersOf(protocol, header));
  return (
    hasCommitQuorum(protocol, header) &&
    known.accepts(number, header.hash, listed.map(hexlify), () => commitSignersOf(protocol, header))
  );
}

/** Describes the receipts whose encoding is a guess: that of all known types except deposits. */
function otherTypes(receipts: readonly ConsensusReceipt[]): string {
  const types = new Set(receipts.flatMap(({ type }) => (isKnownType(toQuantity(type)) ? [] : [toQuantity(type)])));
  return types.size === 0 ? "" : `; this version does not know receipts of type ${[...types].join(", ")}`;
}

/** Describes the fields of a header that the hash can cover and this version does not encode. */
function laterFork(header: object): string {
  const fields = unknownFields(header);
  if (fields.length === 0) return "";
  const names = fields.slice(0, MOST_NAMES).join(", ");
  return `; it has fields that this version does not encode (${names}), perhaps of a later fork`;
}

function inconsistent(number: number, why: string): Error {
  return unavailable(new ContradictionError(`the node's responses about block ${number} are inconsistent: ${why}`));
}
