import { getBytes, hexlify } from "ethers";
import { z } from "zod";
import type { BlockReference } from "../block.ts";
import { fetchBlock, NodeBlock, readBlock, type ValidatorNames, NodeTransaction } from "../node/node-block.ts";
import { fetchLogs, type LogFilter, type NodeLog } from "../node/log.ts";
import { readBlockReceipts, readReceipt } from "../node/receipt.ts";
import { fetchQuantity, query } from "../rpc/query.ts";
import { NodeError, type Rpc, toQuantity, unavailable } from "../rpc/rpc.ts";
import type { Address, ContractCall } from "../transaction.ts";
import type { AnchorContent, AnchoringBlock, AnchorInspection, AnchorOnChain, LoggedAnchor } from "./anchor-content.ts";
import { contractCall, INTERFACES, readContract } from "./interfaces.ts";

const ABI = INTERFACES.ProofAnchor;
const ANCHORED = ABI.getEvent("Anchored").topicHash;
/** Calls of one inspection that are in flight at a time. */
const INSPECTED_AT_ONCE = 16;
/** Attempts of an inspection on a node that dropped the state of the block in the meantime. */
const INSPECTION_ATTEMPTS = 5;

const Result = z.string().regex(/^0x[0-9a-f]*$/);
const Transaction = NodeTransaction.pick({ hash: true, to: true, input: true });
const Block = NodeBlock.pick({ hash: true }).extend({ transactions: z.array(Transaction) });

export interface ProofAnchorClientOptions {
  /** The block of the deployment, or one before it. */
  readonly firstBlock?: number;
  readonly validatorNames?: ValidatorNames;
}

/** The client of the ProofAnchor contract: encodes its calls, reads its state, its events and its transactions. */
export class ProofAnchorClient {
  readonly firstBlock: number;
  readonly #rpc: Rpc;
  readonly #address: Address;
  readonly #names: ValidatorNames;

  constructor(
    rpc: Rpc,
    address: Address,
    { firstBlock = 0, validatorNames = new Map() }: ProofAnchorClientOptions = {},
  ) {
    this.#rpc = rpc;
    this.#address = address;
    this.firstBlock = firstBlock;
    this.#names = validatorNames;
  }

  /** Encodes the call that anchors a hash alone, or the root over `size` hashes. */
  anchorCall({ hash, size }: AnchorContent): ContractCall {
    const data =
      size === 0 ? ABI.encodeFunctionData("anchor", [hash]) : ABI.encodeFunctionData("anchorBatch", [hash, size]);
    return contractCall("anchor", "ProofAnchor", data);
  }

  /** Encodes the query of the anchor of a hash or root, `0x` hex. */
  anchorQuery(hash: Uint8Array): string {
    return ABI.encodeFunctionData("anchorOf", [hash]);
  }

  /** Encodes the query whether a path leads from a hash to an anchored root, `0x` hex. */
  verifyQuery(hash: Uint8Array, path: readonly Uint8Array[], root: Uint8Array): string {
    return ABI.encodeFunctionData("verify", [hash, path.map((node) => hexlify(node)), root]);
  }

  /** Fetches the first anchor of a hash or root; `undefined` for one without an anchor. */
  async anchorOf(hash: Uint8Array): Promise<AnchorOnChain | undefined> {
    const anchor = decodeAnchor(await readContract(this.#rpc, this.#address, this.anchorQuery(hash)));
    return anchor.time === 0 ? undefined : anchor;
  }

  /**
   * Fetches the anchors of all hashes at the newest block.
   * @throws SealbookError `chain_unavailable`
   */
  async inspect(hashes: readonly Uint8Array[]): Promise<AnchorInspection> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#inspectOnce(hashes);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        // A node that keeps the newest state only rejects a query at a block with a successor.
        if (attempt === INSPECTION_ATTEMPTS) throw unavailable(error);
      }
    }
  }

  /** Fetches the block of a successful transaction that passed this hash to the contract; `undefined` when none did. */
  async blockOf(transactionHash: Uint8Array, hash: Uint8Array): Promise<BlockReference | undefined> {
    const id = hexlify(transactionHash);
    const [receipt, transaction] = await Promise.all([
      readReceipt(this.#rpc, id, this.#names),
      query(this.#rpc, Transaction, "eth_getTransactionByHash", [id]),
    ]);
    if (receipt?.succeeded !== true || transaction === undefined) return undefined;
    return this.#givenIn(transaction) === hexlify(hash) ? receipt.block : undefined;
  }

  /** Fetches a block with its transactions; `undefined` for a block that the node does not have. */
  async anchoringBlock(number: number): Promise<AnchoringBlock | undefined> {
    const [receipts, full] = await Promise.all([
      readBlockReceipts(this.#rpc, number, this.#names),
      fetchBlock(this.#rpc, number, Block, { full: true }),
    ]);
    if (receipts === undefined || full === undefined) return undefined;
    const block = receipts[0]?.block ?? (await readBlock(this.#rpc, number, this.#names));
    // The block was replaced between the queries, or the node contradicts itself.
    if (block === undefined || hexlify(block.hash) !== full.hash) return undefined;
    const succeeded = new Set(receipts.flatMap((receipt) => (receipt.succeeded ? [receipt.transactionHash] : [])));
    return {
      block,
      given: (transactionHash) => {
        const wanted = hexlify(transactionHash);
        const transaction = full.transactions.find((each) => each.hash === wanted);
        if (transaction === undefined || !succeeded.has(wanted)) return "failed";
        const given = this.#givenIn(transaction);
        return given === undefined ? "other" : getBytes(given);
      },
    };
  }

  newestBlock(): Promise<number> {
    return fetchQuantity(this.#rpc, "eth_blockNumber", []);
  }

  async blockHash(number: number): Promise<Uint8Array | undefined> {
    return (await readBlock(this.#rpc, number, this.#names))?.hash;
  }

  /** Fetches the anchors of a range of blocks from the event log, in its order. */
  async anchors(fromBlock: number, toBlock: number): Promise<LoggedAnchor[]> {
    return (await fetchLogs(this.#rpc, this.logFilter(), fromBlock, toBlock)).flatMap((log) => {
      const content = this.contentOf(log);
      if (content === undefined) return [];
      return [{ ...content, transactionHash: getBytes(log.transactionHash), blockNumber: log.blockNumber }];
    });
  }

  /**
   * Returns the log filter of the contract's anchors.
   * @param hash `0x` hex; of this hash only
   */
  logFilter(hash?: string): LogFilter {
    return { address: [this.#address], topics: hash === undefined ? [ANCHORED] : [ANCHORED, hash] };
  }

  /** Decodes an event; `undefined` for one that is not an anchor. */
  contentOf(log: Pick<NodeLog, "topics" | "data">): AnchorContent | undefined {
    const event = ABI.parseLog(log);
    if (event?.topic !== ANCHORED) return undefined;
    return { hash: getBytes(String(event.args.getValue("hash"))), size: Number(event.args.getValue("size")) };
  }

  /** Encodes the event of an anchor, `0x` hex. */
  eventOf({ hash, size }: AnchorContent): { readonly topics: readonly unknown[]; readonly data: string } {
    return ABI.encodeEventLog("Anchored", [hash, size]);
  }

  async #inspectOnce(hashes: readonly Uint8Array[]): Promise<AnchorInspection> {
    const number = await this.newestBlock();
    const block = await readBlock(this.#rpc, number, this.#names);
    if (block === undefined) throw unavailable(new Error("the node does not have its own newest block"));
    const responses: string[] = [];
    for (let first = 0; first < hashes.length; first += INSPECTED_AT_ONCE) {
      const calls = hashes.slice(first, first + INSPECTED_AT_ONCE).map((hash) => {
        const query = { to: this.#address, data: this.anchorQuery(hash) };
        return this.#rpc.call("eth_call", [query, toQuantity(number)]);
      });
      responses.push(...(await Promise.all(calls)).map((response) => Result.parse(response)));
    }
    return { block, anchors: responses.map((response) => ({ response, ...decodeAnchor(response) })) };
  }

  /** Returns the hash that a transaction passes to the contract, `0x` hex; `undefined` for any other transaction. */
  #givenIn({ to, input }: z.output<typeof Transaction>): string | undefined {
    if (to?.toLowerCase() !== this.#address.toLowerCase()) return undefined;
    const given: unknown = ABI.parseTransaction({ data: input })?.args[0];
    return typeof given === "string" ? given : undefined;
  }
}

function decodeAnchor(result: string): AnchorOnChain {
  const [{ time, blockNumber, size }] = ABI.decodeFunctionResult("anchorOf", result);
  return { time: Number(time), blockNumber: Number(blockNumber), size: Number(size) };
}
