import { getAddress, hexlify } from "ethers";
import { z } from "zod";
import { quorumOf } from "../../chain/consensus/quorum.ts";
import type { PageRequest } from "../explorer.ts";
import type { BlockSummary, ExploredBlock, Page, TransactionSummary, Validator } from "../explored.ts";
import { malformed, SealbookError } from "../../errors.ts";
import type { BftProtocol } from "../../chain/evidence/bft-extra-data.ts";
import { BlockHeader } from "../../chain/evidence/block-header.ts";
import { sealersOf } from "../../chain/evidence/commit-seals.ts";
import { consensusOf } from "../../chain/evidence/consensus.ts";
import { Data } from "../../chain/evidence/rpc-fields.ts";
import type { ValidatorNames } from "../../chain/node/receipts.ts";
import { askBlockReceipts } from "../../chain/rpc/block-receipts.ts";
import { type Rpc, toQuantity } from "../../chain/rpc/rpc.ts";
import type { CallDecoder } from "./call-decoder.ts";
import { ask, NodeBlock, NodeReceipt, readAnswer, WholeNodeBlock } from "./node-responses.ts";

const HashedHeader = BlockHeader.extend({ hash: Data });

/** Reads blocks for people. */
export class BlockReader {
  readonly #rpc: Rpc;
  readonly #decoder: CallDecoder;
  readonly #names: ValidatorNames;

  constructor(rpc: Rpc, decoder: CallDecoder, names: ValidatorNames) {
    this.#rpc = rpc;
    this.#decoder = decoder;
    this.#names = names;
  }

  async summary(id: number | string): Promise<BlockSummary | undefined> {
    const block = await ask(this.#rpc, NodeBlock, ...question(id, false));
    return block && this.#summaryOf(block);
  }

  /** Summaries of blocks by number, each asked for once. */
  async summaries(numbers: Iterable<number>): Promise<ReadonlyMap<number, BlockSummary>> {
    const blocks = await Promise.all([...new Set(numbers)].map((number) => this.summary(number)));
    return new Map(blocks.flatMap((block) => (block === undefined ? [] : [[block.number, block] as const])));
  }

  /** The newest first. */
  async newest(head: number, { limit, cursor }: PageRequest): Promise<Page<BlockSummary>> {
    const first = Math.min(head, cursor === undefined ? head : numberOf(cursor));
    const numbers = Array.from({ length: Math.min(limit, first + 1) }, (_, index) => first - index);
    const found = await this.summaries(numbers);
    const last = numbers.at(-1) ?? 0;
    return {
      items: numbers.flatMap((number) => found.get(number) ?? []),
      next: last > 0 ? String(last - 1) : undefined,
    };
  }

  async block(id: number | string, page: PageRequest): Promise<ExploredBlock | undefined> {
    const answer = await this.#rpc.call(...question(id, true));
    const block = readAnswer(WholeNodeBlock, answer);
    if (block === undefined) return undefined;
    const { parentHash, gasUsed, gasLimit, size, transactions } = block;
    const first = page.cursor === undefined ? 0 : numberOf(page.cursor);
    const some = transactions.slice(first, first + page.limit);
    const succeeded = some.length === 0 ? new Set() : await this.#succeededIn(block.number);
    const items = some.map((transaction, index): TransactionSummary => {
      const { hash, from, to } = transaction;
      return {
        hash,
        index: first + index,
        from,
        to,
        kind: this.#decoder.actionOf(transaction).kind,
        function: this.#decoder.callOf(transaction)?.function,
        succeeded: succeeded.has(hash),
      };
    });
    const end = first + some.length;
    return {
      ...this.#summaryOf(block),
      parentHash,
      gasUsed,
      gasLimit,
      size,
      commitSeals: this.#sealsOf(answer),
      page: { items, next: end < transactions.length ? String(end) : undefined },
    };
  }

  async #succeededIn(number: number): Promise<ReadonlySet<unknown>> {
    const receipts = readAnswer(z.array(NodeReceipt), await askBlockReceipts(this.#rpc, number));
    return new Set(receipts?.flatMap(({ status, transactionHash }) => (status === 1 ? [transactionHash] : [])));
  }

  #summaryOf({
    number,
    hash,
    timestamp,
    miner,
    transactions,
  }: Omit<NodeBlock, "transactions"> & { transactions: readonly unknown[] }): BlockSummary {
    return { number, hash, time: timestamp, proposer: this.#validator(miner), transactions: transactions.length };
  }

  /** Who sealed a block, as far as its header says so and fits its hash. */
  #sealsOf(answer: unknown): ExploredBlock["commitSeals"] {
    const header = HashedHeader.safeParse(answer).data;
    const consensus = header && consensusOf(header, header.hash);
    if (header === undefined || consensus === undefined || consensus.protocol === "none") return undefined;
    const { protocol, validators } = consensus;
    return {
      protocol,
      validators: validators.map((address) => this.#validator(getAddress(hexlify(address)))),
      signers: readableSealers(protocol, header).map((address) => this.#validator(address)),
      quorum: quorumOf(validators.length),
    };
  }

  #validator(address: string): Validator {
    return { address, name: this.#names.get(address.toLowerCase()) };
  }
}

/** A seal that is no signature is nobody's; then none of them counts. */
function readableSealers(protocol: BftProtocol, header: BlockHeader): string[] {
  try {
    return sealersOf(protocol, header);
  } catch (error) {
    if (error instanceof SealbookError) return [];
    throw error;
  }
}

function question(id: number | string, whole: boolean): [method: string, parameters: unknown[]] {
  return typeof id === "number"
    ? ["eth_getBlockByNumber", [toQuantity(id), whole]]
    : ["eth_getBlockByHash", [id, whole]];
}

function numberOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw malformed("cursor", "is not a cursor that an answer gave");
}
