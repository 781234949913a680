import { getBytes, hexlify } from "ethers";
import type { Address, ContractCall } from "../transaction.ts";
import type { SuccessVerdict } from "../transactions/types.ts";
import type { BlockReference } from "../block.ts";
import { type TransactionInBlock, VerifiedChain } from "../evidence/verified-chain.ts";
import { fetchLogs, type LogFilter, type NodeLog } from "../node/log.ts";
import { equalBytes } from "../../kit/bytes.ts";
import { LaggingError, type Rpc, unavailable } from "../rpc/rpc.ts";
import {
  type AnchorContent,
  type AnchoringBlock,
  type AnchorInspection,
  type AnchorOnChain,
  type BlockInclusion,
  type LoggedAnchor,
  type MinedAnchor,
  anchorConflict,
  anchoredIn,
  confirmedAnchor,
  calls,
  type FirstAnchors,
} from "./anchors.ts";
import { anchorQuery, decodeAnchor, inspectAnchors } from "./anchor-inspection.ts";
import { contractCall, INTERFACES, readContract } from "./interfaces.ts";

const ABI = INTERFACES.ProofAnchor;
const ANCHORED = ABI.getEvent("Anchored").topicHash;
/** Blocks that are kept after they were read. */
const MAX_READ = 4_096;

export interface ProofAnchorClientOptions {
  /** The block of the deployment, or one before it. */
  readonly firstBlock?: number;
  /** The blocks that count; unset for a reader without a journal. */
  readonly chain?: VerifiedChain;
}

/** A block with the contract's events. */
interface ReadBlock extends AnchoringBlock {
  readonly events: readonly Omit<LoggedAnchor, "blockNumber" | "contract">[];
}

/** The client of the ProofAnchor contract: encodes its calls, reads its state, its events and its transactions. */
export class ProofAnchorClient {
  readonly firstBlock: number;
  readonly chain: VerifiedChain;
  readonly #rpc: Rpc;
  readonly address: Address;
  readonly #firstAnchors: FirstAnchors;
  /** By number. */
  readonly #read = new Map<number, ReadBlock>();

  constructor(rpc: Rpc, address: Address, { firstBlock = 0, chain }: ProofAnchorClientOptions = {}) {
    this.#rpc = rpc;
    this.address = address;
    this.firstBlock = firstBlock;
    this.chain = chain ?? new VerifiedChain(rpc);
    this.#firstAnchors = {
      anchorOf: (hash) => this.anchorOf(hash),
      block: (number) => this.chain.block(number),
    };
  }

  /** Encodes the call that anchors a hash alone, or the root over `size` hashes. */
  anchorCall({ hash, size }: AnchorContent): ContractCall {
    const data =
      size === 0 ? ABI.encodeFunctionData("anchor", [hash]) : ABI.encodeFunctionData("anchorBatch", [hash, size]);
    return contractCall("anchor", "ProofAnchor", data);
  }

  /** Encodes the query whether a path leads from a hash to an anchored root, `0x` hex. */
  verifyQuery(hash: Uint8Array, path: readonly Uint8Array[], root: Uint8Array): string {
    return ABI.encodeFunctionData("verify", [hash, path.map((node) => hexlify(node)), root]);
  }

  /**
   * Fetches the first anchor of a hash or root; `undefined` for one without an anchor.
   * @param contract The contract in which the anchor is said to be; another one has none of the journal
   * @param since The node has to have this block, if the chain ever had it
   */
  async anchorOf(hash: Uint8Array, contract?: Address, since?: number): Promise<AnchorOnChain | undefined> {
    const needed = since !== undefined && this.hasSeen(since) ? since : undefined;
    if (contract !== undefined && contract !== this.address) return undefined;
    const query = readContract(this.#rpc, this.address, anchorQuery(hash), needed);
    const anchor = await this.chain.reportingContradictions(query.then(decodeAnchor));
    return anchor.time === 0 ? undefined : { ...anchor, contract: this.address };
  }

  /**
   * Fetches the anchors of all hashes at the newest block.
   * @throws SealbookError `chain_unavailable`
   */
  inspect(hashes: readonly Uint8Array[]): Promise<AnchorInspection> {
    return this.chain.reportingContradictions(inspectAnchors(this.#rpc, this.chain, this.address, hashes));
  }

  /**
   * Fetches the block in which a transaction confirms the anchor of a hash; `undefined` when it does not.
   * @param near Number of the block in which it was before: it is read first
   * @param contract The contract in which the anchor is said to be
   */
  async blockOf(
    transactionHash: Uint8Array,
    hash: Uint8Array,
    near?: number,
    contract?: Address,
  ): Promise<BlockReference | undefined> {
    if (contract !== undefined && contract !== this.address) return undefined;
    const before = near === undefined ? undefined : await this.#blockAt(near);
    if (before !== undefined && isGiven(before.given(transactionHash), hash)) return before.block;
    const [found] = await this.chain.transactions([hexlify(transactionHash)]);
    if (found === undefined || found === "unfinal") return undefined;
    const confirmed = await this.confirmedBy(found);
    return equalBytes(confirmed?.hash, hash) ? found.block.reference : undefined;
  }

  /** Returns the anchor that a transaction confirms; `undefined` when it confirms none. */
  async confirmedBy(at: Pick<TransactionInBlock, "block" | "transaction">): Promise<MinedAnchor | undefined> {
    const confirmed = await confirmedAnchor(at, this.address, this.#firstAnchors);
    return confirmed && { ...confirmed.content, contract: this.address, first: confirmed.first };
  }

  /** Returns whether the success of a transaction counts: if it calls the contract, it has to confirm an anchor. */
  async verdictOn(at: Pick<TransactionInBlock, "block" | "transaction">): Promise<SuccessVerdict> {
    if (!calls(at.transaction, this.address)) return { confirms: undefined };
    const confirms = await this.confirmedBy(at);
    if (confirms !== undefined) return { confirms };
    const rejected = await anchorConflict(at, this.address, this.#firstAnchors);
    return rejected === undefined ? "unknown" : { rejected };
  }

  /**
   * Finds the first anchor of a content in the blocks of the chain.
   * @returns `undefined` when the chain does not have it in this form
   */
  async find({ hash, size }: AnchorContent): Promise<BlockInclusion | undefined> {
    const first = await this.anchorOf(hash);
    return first?.size === size ? this.inclusionOf(hash, first) : undefined;
  }

  /**
   * Finds an anchor that the contract has returned in its block.
   * @returns `undefined` when the block does not have it: the response is wrong
   */
  async inclusionOf(hash: Uint8Array, { blockNumber, size, time }: AnchorOnChain): Promise<BlockInclusion | undefined> {
    const found = await this.#blockAt(blockNumber);
    if (found === undefined && (await this.chain.newestNumber()) >= blockNumber)
      throw unavailable(new LaggingError(`the node does not have block ${blockNumber}, which another one has`));
    const event = found?.events.find((each) => equalBytes(each.hash, hash) && each.size === size);
    if (found === undefined || event === undefined || found.block.time !== time) return undefined;
    return { contract: this.address, transactionHash: event.transactionHash, block: found.block };
  }

  /** Returns whether a block has the event of an anchor. */
  async hasAnchored(number: number, { hash, size }: AnchorContent): Promise<boolean> {
    const found = await this.#blockAt(number);
    return found?.events.some((each) => equalBytes(each.hash, hash) && each.size === size) === true;
  }

  /** Returns whether the chain had a block of this number. */
  hasSeen(number: number): boolean {
    return this.chain.hasSeen(number);
  }

  /** Returns the number of the newest final block. */
  newestBlock(): Promise<number> {
    return this.chain.newestNumber();
  }

  async blockHash(number: number): Promise<Uint8Array | undefined> {
    return (await this.chain.header(number))?.reference.hash;
  }

  /** Fetches the anchors of a range of blocks from the event log, in its order. */
  async anchors(fromBlock: number, toBlock: number): Promise<LoggedAnchor[]> {
    return (await fetchLogs(this.#rpc, this.logFilter(), fromBlock, toBlock)).flatMap((log) => {
      const content = this.contentOf(log);
      if (content === undefined) return [];
      const { transactionHash, blockNumber } = log;
      return [{ ...content, contract: this.address, transactionHash: getBytes(transactionHash), blockNumber }];
    });
  }

  /**
   * Returns the log filter of the anchors.
   * @param hash `0x` hex; of this hash only
   */
  logFilter(hash?: string): LogFilter {
    return { address: [this.address], topics: hash === undefined ? [ANCHORED] : [ANCHORED, hash] };
  }

  /** Decodes an event; `undefined` for one that is not an anchor. */
  contentOf(log: Pick<NodeLog, "topics" | "data">): AnchorContent | undefined {
    const event = ABI.parseLog(log);
    if (event?.topic !== ANCHORED) return undefined;
    return { hash: getBytes(String(event.args.getValue("hash"))), size: Number(event.args.getValue("size")) };
  }

  /**
   * Fetches a block with its transactions; `undefined` for a block that the node does not have. One that was read
   * before is fetched only if its hash is another one now.
   */
  anchoringBlock(number: number): Promise<AnchoringBlock | undefined> {
    return this.#blockAt(number);
  }

  async #blockAt(number: number): Promise<ReadBlock | undefined> {
    const known = this.#read.get(number);
    if (known !== undefined) {
      const header = await this.chain.header(number);
      if (equalBytes(header?.reference.hash, known.block.hash)) return known;
    }
    const block = await this.chain.block(number);
    if (block === undefined) return undefined;
    const given = new Map<string, ReturnType<AnchoringBlock["given"]>>();
    let isComplete = true;
    for (const transaction of block.transactions) {
      const confirmed = await confirmedAnchor({ block, transaction }, this.address, this.#firstAnchors);
      // The contract's response decides on a repeat: it is read again every time.
      isComplete &&= confirmed === undefined ? !calls(transaction, this.address) : confirmed.first === undefined;
      given.set(transaction.hash, transaction.succeeded ? (confirmed?.content.hash ?? "other") : "failed");
    }
    const read: ReadBlock = {
      block: block.reference,
      events: block.transactions.flatMap((each) =>
        anchoredIn(each, this.address).map((content) => ({ ...content, transactionHash: getBytes(each.hash) })),
      ),
      given: (transactionHash) => given.get(hexlify(transactionHash)) ?? "failed",
    };
    if (isComplete) this.#remember(read);
    return read;
  }

  /** Keeps the newest blocks read. */
  #remember(read: ReadBlock): void {
    this.#read.delete(read.block.number);
    this.#read.set(read.block.number, read);
    const [oldest] = this.#read.keys();
    if (this.#read.size > MAX_READ && oldest !== undefined) this.#read.delete(oldest);
  }
}

function isGiven(given: ReturnType<AnchoringBlock["given"]>, hash: Uint8Array): boolean {
  return typeof given === "object" && equalBytes(given, hash);
}
