import { hexlify, keccak256, toBeHex, toQuantity, Transaction } from "ethers";
import { BlockHeader, encodeHeader } from "../../server/chain/evidence/block-header.ts";
import { listTrie } from "../../server/chain/evidence/merkle-trie.ts";
import { ConsensusReceipt, encodeReceipt } from "../../server/chain/evidence/receipt-encoding.ts";
import { BlockTransaction, encodeTransaction } from "../../server/chain/evidence/transaction-encoding.ts";

/** An event of a transaction, `0x` hex. */
export interface MadeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A mined transaction of a simulated node. */
export interface MadeTransaction {
  /** `0x` hex. */
  readonly raw: string;
  readonly succeeded: boolean;
  readonly logs: readonly MadeLog[];
}

/** A block of a simulated node in the form of JSON-RPC, with the hashes and roots of its content. */
export interface MadeBlock {
  readonly hash: string;
  /** With full transactions. */
  readonly full: object & { readonly transactions: readonly { readonly hash: string }[] };
  readonly receipts: readonly { readonly transactionHash: string }[];
}

const ZERO = `0x${"00".repeat(32)}`;

/** Where a block is made. */
interface BlockPlace {
  readonly number: number;
  readonly time: number;
  readonly miner: string;
  /** Hash of the block before, `0x` hex. */
  readonly parent?: string | undefined;
}

/** A contract that has a log in every block. */
const OTHER_CONTRACT = `0x${"77".repeat(20)}`;

/** Returns the bloom filter of a block with logs of contracts. */
export function bloomOf(contracts: readonly string[]): string {
  const bits = contracts.flatMap((contract) =>
    (keccak256(contract).slice(2, 14).match(/..../g) ?? []).map((pair) => 1n << (BigInt(`0x${pair}`) & 2047n)),
  );
  return toBeHex(
    bits.reduce((bloom, bit) => bloom | bit, 0n),
    256,
  );
}

export function makeBlock(
  { number, time, miner, parent = ZERO }: BlockPlace,
  mined: readonly MadeTransaction[],
): MadeBlock {
  const transactions = mined.map(({ raw }) => transactionOf(raw));
  const bare = mined.map(({ succeeded, logs }, index) => ({
    status: succeeded ? "0x1" : "0x0",
    cumulativeGasUsed: toQuantity(21_000 * (index + 1)),
    logsBloom: `0x${"00".repeat(256)}`,
    logs,
    transactionHash: transactions[index]?.hash ?? ZERO,
    transactionIndex: toQuantity(index),
    blockNumber: toQuantity(number),
  }));
  const header = {
    parentHash: parent,
    sha3Uncles: ZERO,
    miner: miner.toLowerCase(),
    stateRoot: ZERO,
    transactionsRoot: rootOf(transactions.map((each) => encodeTransaction(BlockTransaction.parse(each)))),
    receiptsRoot: rootOf(bare.map((each) => encodeReceipt(ConsensusReceipt.parse({ ...each, blockHash: ZERO })))),
    logsBloom: bloomOf([OTHER_CONTRACT, ...mined.flatMap(({ logs }) => logs.map(({ address }) => address))]),
    difficulty: "0x0",
    number: toQuantity(number),
    gasLimit: toQuantity(30_000_000),
    gasUsed: toQuantity(21_000 * mined.length),
    timestamp: toQuantity(time),
    extraData: "0x",
    mixHash: ZERO,
    nonce: "0x0000000000000000",
  };
  const hash = keccak256(encodeHeader(BlockHeader.parse(header)));
  const full = { ...header, hash, transactions };
  return {
    hash,
    full,
    receipts: bare.map((each) => ({ ...each, blockHash: hash })),
  };
}

/** Returns the block as nodes return it, with the hashes of the transactions or all of them. */
export function shownBlock({ full }: MadeBlock, isFull: unknown): object {
  return isFull === true ? full : { ...full, transactions: full.transactions.map(({ hash }) => hash) };
}

function transactionOf(raw: string) {
  const { hash, from, to, nonce, gasLimit, gasPrice, value, data, signature } = Transaction.from(raw);
  if (hash === null || signature === null) throw new Error("the transaction is not signed");
  return {
    type: "0x0",
    hash,
    from,
    to,
    nonce: toQuantity(nonce),
    gas: toQuantity(gasLimit),
    gasPrice: toQuantity(gasPrice ?? 0n),
    value: toQuantity(value),
    input: data,
    v: toQuantity(signature.legacyChainId === null ? signature.v : (signature.networkV ?? 0n)),
    r: toQuantity(signature.r),
    s: toQuantity(signature.s),
  };
}

function rootOf(values: readonly Uint8Array[]): string {
  return hexlify(listTrie(values).root);
}
