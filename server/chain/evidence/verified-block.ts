import { z } from "zod";
import type { ProvenBytes } from "./anchor-evidence.ts";
import { fetchBlock } from "../node/node-block.ts";
import { fetchBlockReceipts } from "../node/receipt.ts";
import { type Rpc, unavailable } from "../rpc/rpc.ts";
import { encodeHeader, HashedHeader } from "./block-header.ts";
import { hasCommitQuorum } from "./commit-seals.ts";
import { type Consensus, consensusOf } from "./consensus.ts";
import { listKey, listTrie, type MerkleTrie } from "./merkle-trie.ts";
import { ConsensusReceipt, encodeReceipt } from "./receipt-encoding.ts";
import { BlockTransaction, encodeTransaction } from "./transaction-encoding.ts";

const Block = HashedHeader.extend({ transactions: z.array(BlockTransaction) });

/** A block with its transactions and receipts, all checked against the block's hash. */
export interface VerifiedBlock extends Consensus {
  readonly hash: Uint8Array;
  /** RLP. */
  readonly header: Uint8Array;
  readonly receipts: readonly ConsensusReceipt[];
  transaction(index: number): Promise<ProvenBytes>;
  receipt(index: number): Promise<ProvenBytes>;
}

/**
 * Fetches a block and checks it.
 * @returns `undefined` when the node does not have it
 * @throws SealbookError `chain_unavailable` also when the node's responses contradict each other
 */
export async function readVerifiedBlock(rpc: Pick<Rpc, "call">, number: number): Promise<VerifiedBlock | undefined> {
  const [block, receipts] = await Promise.all([
    fetchBlock(rpc, number, Block, { full: true }),
    fetchBlockReceipts(rpc, number, ConsensusReceipt),
  ]);
  if (block === undefined || receipts === undefined) return undefined;
  const consensus = consensusOf(block, block.hash);
  if (consensus === undefined) throw inconsistent(number, "its header does not have its hash");
  const { protocol } = consensus;
  if (protocol !== "none" && !hasCommitQuorum(protocol, block))
    throw inconsistent(number, "its validators did not seal it");
  const transactionBytes = block.transactions.map(encodeTransaction);
  const receiptBytes = receipts.map(encodeReceipt);
  const transactionTrie = await listTrie(transactionBytes);
  const receiptTrie = await listTrie(receiptBytes);
  if (Buffer.compare(transactionTrie.root, block.transactionsRoot) !== 0) {
    throw inconsistent(number, "its transactions are not those of its header");
  }
  if (Buffer.compare(receiptTrie.root, block.receiptsRoot) !== 0) {
    throw inconsistent(number, "its receipts are not those of its header");
  }
  const entry = async (all: readonly Uint8Array[], trie: MerkleTrie, index: number): Promise<ProvenBytes> => {
    const raw = all[index];
    if (raw === undefined) throw new RangeError(`Block ${number} has no transaction ${index}`);
    return { raw, proof: await trie.proof(listKey(index)) };
  };
  return {
    ...consensus,
    hash: block.hash,
    header: encodeHeader(block),
    receipts,
    transaction: (index) => entry(transactionBytes, transactionTrie, index),
    receipt: (index) => entry(receiptBytes, receiptTrie, index),
  };
}

function inconsistent(number: number, why: string): Error {
  return unavailable(new Error(`what the node says of block ${number} does not hold together: ${why}`));
}
