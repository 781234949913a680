import { getAddress, hexlify } from "ethers";
import * as z from "zod";
import { quorumOf, type BftProtocol, commitSignersOf, consensusOf } from "../../chain/evidence/consensus-seals.ts";
import type { BlockList, BlockSummary, ExploredBlock, ListedTransaction, TransactionList } from "../responses.ts";
import type { LogPosition } from "./newest-logs.ts";
import { SealbookError } from "../../errors.ts";
import { type BlockHeader, HashedHeader } from "../../chain/evidence/block-header.ts";
import type { Rpc } from "../../chain/rpc/rpc.ts";
import type { ContractNames } from "./contract-names.ts";
import { fetchHead, parseResponse } from "../../chain/rpc/query.ts";
import { fetchBlock, FullNodeBlock, NodeBlock, type ValidatorNames } from "../../chain/node/node-block.ts";
import { fetchBlockReceipts, NodeReceipt } from "../../chain/node/receipt.ts";

/** The requested page of a list. */
export interface PageRequest<Cursor = number> {
  readonly limit: number;
  /** `next` of the previous page. Default: the first page. */
  readonly cursor?: Cursor | undefined;
}

/** Blocks that a page of transactions is looked for in, and that are fetched at a time. */
const MOST_BLOCKS = 100;
const BLOCKS_AT_ONCE = 5;
/** Time after which a page ends with what it has: the node serves the relayer as well. */
const PAGE_MILLISECONDS = 2_000;
/** More than any transaction has in its block. */
const MOST_INDEX = 999_999_999;

const Succeeded = NodeReceipt.pick({ transactionHash: true, status: true });

/** Reads and decodes blocks. */
export class BlockReader {
  readonly #rpc: Rpc;
  readonly #contracts: ContractNames;
  readonly #names: ValidatorNames;

  constructor(rpc: Rpc, contracts: ContractNames, names: ValidatorNames) {
    this.#rpc = rpc;
    this.#contracts = contracts;
    this.#names = names;
  }

  async summary(id: number | string): Promise<BlockSummary | undefined> {
    const block = await fetchBlock(this.#rpc, id, NodeBlock);
    return block && this.#summaryOf(block);
  }

  /** Fetches summaries of blocks by number, each once. */
  async summaries(numbers: Iterable<number>): Promise<ReadonlyMap<number, BlockSummary>> {
    const blocks = await Promise.all([...new Set(numbers)].map((number) => this.summary(number)));
    return new Map(blocks.flatMap((block) => (block === undefined ? [] : [[block.number, block] as const])));
  }

  /** Lists blocks, newest first. */
  async newest({ limit, cursor }: PageRequest): Promise<BlockList> {
    const head = await fetchHead(this.#rpc);
    const first = Math.min(head, cursor ?? head);
    const numbers = Array.from({ length: Math.min(limit, first + 1) }, (_, index) => first - index);
    const found = await this.summaries(numbers);
    const last = numbers.at(-1) ?? 0;
    return {
      blocks: numbers.flatMap((number) => found.get(number) ?? []),
      next: last > 0 ? String(last - 1) : undefined,
    };
  }

  /** Lists transactions, newest first, of a limited number of blocks. */
  async transactions({ limit, cursor }: PageRequest<LogPosition>, without?: "sessions"): Promise<TransactionList> {
    const head = await fetchHead(this.#rpc);
    const start = Math.min(head, cursor?.block ?? head);
    const end = Math.max(0, start - MOST_BLOCKS + 1);
    const found: ListedTransaction[] = [];
    const begun = performance.now();
    for (let last = start; last >= end; last -= BLOCKS_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(BLOCKS_AT_ONCE, last - end + 1) }, (_, index) => last - index);
      for (const block of await Promise.all(numbers.map((number) => this.#transactionsOf(number, without))))
        found.push(...block.filter(({ block: { number }, index }) => isBefore({ number, index }, cursor)));
      const [page, beyond] = [found.slice(0, limit), found[limit]];
      const final = page.at(-1);
      if (beyond !== undefined && final !== undefined)
        return { transactions: page, next: `${final.block.number}-${final.index}` };
      const before = last - BLOCKS_AT_ONCE;
      if (before >= end && performance.now() - begun > PAGE_MILLISECONDS)
        return { transactions: found, next: `${before}-${MOST_INDEX}` };
    }
    return { transactions: found, next: end > 0 ? `${end - 1}-${MOST_INDEX}` : undefined };
  }

  /** Returns the transactions of a block, the last one first. */
  async #transactionsOf(number: number, without: "sessions" | undefined): Promise<ListedTransaction[]> {
    const block = await fetchBlock(this.#rpc, number, FullNodeBlock, { full: true });
    if (block === undefined) return [];
    const wanted = block.transactions
      .map((transaction, index) => ({ transaction, index, outline: this.#contracts.outlineOf(transaction) }))
      .filter(({ outline }) => without === undefined || outline.kind !== "session");
    if (wanted.length === 0) return [];
    const succeeded = await this.#succeededIn(number);
    const summary = this.#summaryOf(block);
    return wanted
      .map(({ transaction: { hash, from, to }, index, outline }) => ({
        hash,
        index,
        from,
        to: to ?? null,
        ...outline,
        status: succeeded.has(hash) ? ("succeeded" as const) : ("reverted" as const),
        block: summary,
      }))
      .reverse();
  }

  async block(id: number | string, page: PageRequest): Promise<ExploredBlock | undefined> {
    const response = await fetchBlock(this.#rpc, id, z.unknown(), { full: true });
    const block = response === undefined ? undefined : parseResponse(FullNodeBlock, "eth_getBlock", response);
    if (block === undefined) return undefined;
    const { parentHash, gasUsed, gasLimit, size, transactions } = block;
    const first = page.cursor ?? 0;
    const some = transactions.slice(first, first + page.limit);
    const succeeded = some.length === 0 ? new Set() : await this.#succeededIn(block.number);
    const end = first + some.length;
    return {
      ...this.#summaryOf(block),
      parent_hash: parentHash,
      gas_used: gasUsed,
      gas_limit: gasLimit,
      size,
      commit_seals: this.#commitSealsOf(response),
      transactions: some.map((transaction, index) => ({
        hash: transaction.hash,
        index: first + index,
        from: transaction.from,
        to: transaction.to ?? null,
        ...this.#contracts.outlineOf(transaction),
        status: succeeded.has(transaction.hash) ? "succeeded" : "reverted",
      })),
      next: end < transactions.length ? String(end) : undefined,
    };
  }

  async #succeededIn(number: number): Promise<ReadonlySet<unknown>> {
    const receipts = await fetchBlockReceipts(this.#rpc, number, Succeeded);
    return new Set(receipts?.flatMap(({ status, transactionHash }) => (status === 1 ? [transactionHash] : [])));
  }

  #summaryOf({
    number,
    hash,
    timestamp,
    miner,
    transactions,
  }: Omit<NodeBlock, "transactions"> & { transactions: readonly unknown[] }): BlockSummary {
    return {
      number,
      hash,
      timestamp,
      proposer: this.#validator(getAddress(miner)),
      transaction_count: transactions.length,
    };
  }

  /**
   * Returns the validators that committed a block, as far as the header contains their seals and matches the block's
   * hash.
   */
  #commitSealsOf(response: unknown): ExploredBlock["commit_seals"] {
    const header = HashedHeader.safeParse(response).data;
    const consensus = header && consensusOf(header, header.hash);
    if (header === undefined || consensus === undefined || consensus.protocol === "none") return undefined;
    const { protocol, validators } = consensus;
    return {
      protocol,
      validators: validators.map((address) => this.#validator(getAddress(hexlify(address)))),
      signers: readableSigners(protocol, header).map((address) => this.#validator(address)),
      quorum: quorumOf(validators.length),
    };
  }

  #validator(address: string): BlockSummary["proposer"] {
    return { address, name: this.#names.get(address.toLowerCase()) };
  }
}

function isBefore({ number, index }: { number: number; index: number }, cursor: LogPosition | undefined): boolean {
  return cursor === undefined || number < cursor.block || (number === cursor.block && index < cursor.index);
}

/** Recovers the signers; a seal that is no signature invalidates all of them. */
function readableSigners(protocol: BftProtocol, header: BlockHeader): string[] {
  try {
    return commitSignersOf(protocol, header);
  } catch (error) {
    if (error instanceof SealbookError) return [];
    throw error;
  }
}
