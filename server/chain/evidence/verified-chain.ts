import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { fetchBlock, NodeBlock, type ValidatorNames } from "../node/node-block.ts";
import { fetchHead, lookUp } from "../rpc/query.ts";
import { type Rpc, ContradictionError, isContradiction, toQuantity, unavailable } from "../rpc/rpc.ts";
import type { BlockReference } from "../block.ts";
import type { Address } from "../transaction.ts";
import { ValidatorHistory } from "../consensus/validators.ts";
import { NodeReceipt } from "../node/receipt.ts";
import { reasonOf, SealbookError } from "../../errors.ts";
import { equalBytes, prefixedHex } from "../../kit/bytes.ts";
import {
  type BlockRules,
  type MinedTransaction,
  readVerifiedBlock,
  readVerifiedHeader,
  type VerifiedBlock,
  type VerifiedHeader,
} from "./verified-block.ts";

/**
 * When a block counts as final: with a number of blocks on top of it (0: at once, as on chains whose blocks never
 * change), or when the chain calls it `finalized`.
 */
type FinalityRule = number | "finalized";

const NumberedBlock = NodeBlock.pick({ number: true });

/** Knows which blocks of a chain are final. */
class Finality {
  readonly #rpc: Pick<Rpc, "call">;
  readonly #rule: FinalityRule;
  /** The newest block known to be final: it stays final. */
  #known = -1;

  constructor(rpc: Pick<Rpc, "call">, rule: FinalityRule = 0) {
    this.#rpc = rpc;
    this.#rule = rule;
  }

  /**
   * Returns the number of the newest final block; -1 when there is none yet.
   * @param head Number of the newest block, when it is known
   * @throws SealbookError `chain_unavailable`
   */
  async newest(head?: number): Promise<number> {
    if (this.#rule === 0) return head ?? (await this.#head());
    const found =
      this.#rule === "finalized"
        ? (await fetchBlock(this.#rpc, "finalized", NumberedBlock))?.number
        : (head ?? (await this.#head())) - this.#rule;
    this.#known = Math.max(this.#known, found ?? -1);
    return this.#known;
  }

  async isFinal(block: number): Promise<boolean> {
    return this.#rule === 0 || block <= this.#known || block <= (await this.newest());
  }

  #head(): Promise<number> {
    return fetchHead(this.#rpc);
  }
}

/** Nodes that have to return the same hash of a block before a signed statement rests on it. */
const AGREEING_NODES = 2;
/** Attempts until the nodes agree, and the time between them: a new block needs a moment to spread. */
const AGREEMENT_ATTEMPTS = 5;
const AGREEMENT_MILLISECONDS = 500;

const BlockPosition = NodeReceipt.pick({ blockNumber: true });
const Name = NodeBlock.pick({ hash: true }).extend({ hash: z.string().toLowerCase() });

/** A transaction in its block. */
export interface TransactionInBlock {
  readonly block: VerifiedBlock;
  /** Index in the block. */
  readonly index: number;
  readonly transaction: MinedTransaction;
}

interface VerifiedChainOptions {
  readonly validatorNames?: ValidatorNames;
  /** Unset for a reader without a journal: each block's own validators count. */
  readonly validators?: ValidatorHistory;
  /** When a block counts; unset on a chain whose blocks never change. */
  readonly finality?: FinalityRule;
  /** Called when a read fails because the node's responses contradict each other. */
  readonly onContradiction?: (reason: string) => void;
}

/** Trust in a block that a statement rests on. */
export interface BlockTrust {
  /** Whether commit seals of known validators were checked. */
  readonly isSealed: boolean;
  /** Nodes that returned the same hash. */
  readonly nodes: number;
}

/**
 * The chain as far as the server checks it itself. Proofs, statements and bundles rest on these blocks only: the fields
 * of a header are covered by the block's hash, transactions and receipts by the header, and on a BFT chain the hash by
 * the seals of known validators. It ends with the newest final block.
 */
export class VerifiedChain {
  readonly rpc: Rpc;
  readonly #rules: BlockRules;
  readonly #finality: Finality;
  readonly #onContradiction: (reason: string) => void;
  /** The newest final block that any response has named. */
  #newestSeen = -1;

  constructor(
    rpc: Rpc,
    { validatorNames = new Map(), validators, finality, onContradiction = () => undefined }: VerifiedChainOptions = {},
  ) {
    this.rpc = rpc;
    this.#onContradiction = onContradiction;
    this.#finality = new Finality(rpc, finality);
    this.#rules = { names: validatorNames, validators: validators ?? ValidatorHistory.inMemory() };
  }

  /** Fetches a block's header; `undefined` for a block that the node does not have, or that is not final. */
  async header(number: number): Promise<VerifiedHeader | undefined> {
    if (!(await this.#finality.isFinal(number))) return undefined;
    return this.reportingContradictions(readVerifiedHeader(this.rpc, number, this.#rules));
  }

  /** Fetches a block with its transactions; `undefined` for a block that the node does not have, or is not final. */
  async block(number: number): Promise<VerifiedBlock | undefined> {
    const block = await this.#blockOrUnfinal(number);
    return block === "unfinal" ? undefined : block;
  }

  /**
   * Fetches a block as a whole if it can have a log of one of these contracts, and else its header; `undefined` as for
   * {@link block}.
   */
  async blockWithLogsOf(contracts: readonly Address[], number: number): Promise<VerifiedHeader | undefined> {
    const header = await this.header(number);
    return header?.mayHaveLogsOf(contracts) === true ? this.block(number) : header;
  }

  /**
   * Returns the number of the newest final block; -1 when there is none yet.
   * @param head Number of the newest block, when it is known
   */
  async newestNumber(head?: number): Promise<number> {
    const number = await this.#finality.newest(head);
    this.#newestSeen = Math.max(this.#newestSeen, number);
    return number;
  }

  /** Returns whether the chain had a block of this number: a node that lacks it lags, or was rolled back. */
  hasSeen(number: number): boolean {
    return number <= this.#newestSeen;
  }

  /** Fetches the header of the newest final block. */
  async newest(): Promise<VerifiedHeader> {
    const header = await this.header(Math.max(0, await this.newestNumber()));
    if (header === undefined) throw unavailable(new Error("the node does not have its own newest block"));
    return header;
  }

  /**
   * Finds mined transactions; each block is read once. The node's receipt only serves to find the block.
   * @param hashes `0x` hex
   * @returns in the order of the hashes: `undefined` for a transaction that is in no block, `unfinal` for one whose
   *   block is not final
   */
  async transactions(hashes: readonly string[]): Promise<(TransactionInBlock | "unfinal" | undefined)[]> {
    const positions = await Promise.all(
      hashes.map((hash) => lookUp(this.rpc, BlockPosition, "eth_getTransactionReceipt", [hash])),
    );
    const numbers = new Set(positions.flatMap((position) => position?.blockNumber ?? []));
    const blocks = new Map(
      await Promise.all(Array.from(numbers, async (number) => [number, await this.#blockOrUnfinal(number)] as const)),
    );
    return hashes.map((hash, at) => {
      const block = blocks.get(positions[at]?.blockNumber ?? -1);
      return block === "unfinal" ? block : transactionIn(block, hash);
    });
  }

  /**
   * Checks that blocks may be signed for: with several nodes, two of them have to agree on each; the embedded chain's
   * engine has to return what the block log has.
   * @throws SealbookError `chain_unavailable` when they do not
   */
  trust(blocks: readonly BlockReference[]): Promise<BlockTrust> {
    return this.reportingContradictions(this.#trust(blocks));
  }

  /** Reports a read that fails because the node's responses contradict each other. */
  async reportingContradictions<T>(read: Promise<T>): Promise<T> {
    try {
      return await read;
    } catch (error) {
      if (isContradiction(error)) this.#onContradiction(reasonOf(error));
      throw error;
    }
  }

  async #trust(blocks: readonly BlockReference[]): Promise<BlockTrust> {
    const distinct = new Map(blocks.map((block) => [block.number, block]));
    let nodes = this.rpc.callEach === undefined ? 1 : Number.POSITIVE_INFINITY;
    let isSealed = true;
    for (const block of distinct.values()) {
      const header = await this.header(block.number);
      if (header === undefined || !equalBytes(header.reference.hash, block.hash))
        throw unavailable(new ContradictionError(`the node does not have block ${block.number} any more`));
      const recorded = await this.rpc.recordedHash?.(block.number);
      if (recorded !== undefined && recorded !== prefixedHex(block.hash))
        throw unavailable(new ContradictionError(`block ${block.number} is not the one that was recorded`));
      isSealed &&= header.protocol !== "none" && header.validators.length > 0;
      if (this.rpc.callEach !== undefined) nodes = Math.min(nodes, await this.#agreeing(block));
    }
    return { nodes, isSealed };
  }

  async #blockOrUnfinal(number: number): Promise<VerifiedBlock | "unfinal" | undefined> {
    if (!(await this.#finality.isFinal(number))) return "unfinal";
    return this.reportingContradictions(readVerifiedBlock(this.rpc, number, this.#rules));
  }

  /** Returns how many nodes have a block; waits for the newest one to spread. */
  async #agreeing({ number, hash }: BlockReference): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      const found = (await this.rpc.callEach?.("eth_getBlockByNumber", [toQuantity(number), false])) ?? [];
      const agreeing = found.filter((block) => Name.safeParse(block).data?.hash === prefixedHex(hash)).length;
      if (agreeing >= AGREEING_NODES) return agreeing;
      if (attempt === AGREEMENT_ATTEMPTS)
        throw new SealbookError("chain_unavailable", `fewer than two nodes agree on block ${number} and its time`, {
          retryAfterSeconds: 5,
        });
      await sleep(AGREEMENT_MILLISECONDS);
    }
  }
}

/** Finds a transaction in a block. */
export function transactionIn(block: VerifiedBlock | undefined, hash: string): TransactionInBlock | undefined {
  const index = block?.transactions.findIndex((each) => each.hash === hash) ?? -1;
  const transaction = block?.transactions[index];
  return block === undefined || transaction === undefined ? undefined : { block, index, transaction };
}
