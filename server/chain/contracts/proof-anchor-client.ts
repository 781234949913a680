import { getBytes, hexlify } from "ethers";
import { z } from "zod";
import type { BlockReference } from "../block.ts";
import { readBlock, readBlockReceipts, readReceipt, type ValidatorNames } from "../node/receipts.ts";
import { askQuantity, Quantity } from "../rpc/quantity.ts";
import { NodeError, type Rpc, toQuantity, unavailable } from "../rpc/rpc.ts";
import type { Address, ContractCall } from "../transaction.ts";
import type { AnchorContent, AnchoringBlock, AnchorInspection, AnchorOnChain, LoggedAnchor } from "./anchor.ts";
import { contractCall, INTERFACES, readContract } from "./interfaces.ts";

const ABI = INTERFACES.ProofAnchor;
const ANCHORED = ABI.getEvent("Anchored").topicHash;
/** Calls of one inspection that are in flight at a time. */
const INSPECTED_AT_ONCE = 16;
/** Attempts of an inspection on a node that dropped the state of the block in the meantime. */
const INSPECTION_ATTEMPTS = 5;

const Result = z.string().regex(/^0x[0-9a-f]*$/);
const Transaction = z.object({ to: z.string().nullable(), input: z.string() });
const Block = z.object({ hash: z.string(), transactions: z.array(Transaction.extend({ hash: z.string() })) });
const Log = z.object({
  topics: z.array(z.string()),
  data: z.string(),
  blockNumber: Quantity,
  transactionHash: z.string(),
});

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

  /** Fetches the block of a successful transaction that gave the contract this hash; `undefined` when none did. */
  async blockOf(transactionHash: Uint8Array, hash: Uint8Array): Promise<BlockReference | undefined> {
    const [receipt, response] = await Promise.all([
      readReceipt(this.#rpc, hexlify(transactionHash), this.#names),
      this.#rpc.call("eth_getTransactionByHash", [hexlify(transactionHash)]),
    ]);
    if (receipt?.succeeded !== true) return undefined;
    return this.#givenIn(Transaction.parse(response)) === hexlify(hash) ? receipt.block : undefined;
  }

  /** Fetches a block with its transactions; `undefined` for a block that the node does not have. */
  async anchoringBlock(number: number): Promise<AnchoringBlock | undefined> {
    const [receipts, response] = await Promise.all([
      readBlockReceipts(this.#rpc, number, this.#names),
      this.#rpc.call("eth_getBlockByNumber", [toQuantity(number), true]),
    ]);
    if (receipts === undefined || response === null) return undefined;
    const block = receipts[0]?.block ?? (await readBlock(this.#rpc, number, this.#names));
    if (block === undefined) return undefined;
    const { hash, transactions } = Block.parse(response);
    // The block was replaced between the queries, or the node contradicts itself.
    if (hexlify(block.hash) !== hash.toLowerCase()) return undefined;
    const succeeded = new Set(
      receipts.flatMap((receipt) => (receipt.succeeded ? [receipt.transactionHash.toLowerCase()] : [])),
    );
    return {
      block,
      given: (transactionHash) => {
        const wanted = hexlify(transactionHash);
        const transaction = transactions.find((each) => each.hash.toLowerCase() === wanted);
        if (transaction === undefined || !succeeded.has(wanted)) return "failed";
        const given = this.#givenIn(transaction);
        return given === undefined ? "other" : getBytes(given);
      },
    };
  }

  newestBlock(): Promise<number> {
    return askQuantity(this.#rpc, "eth_blockNumber", []);
  }

  async blockHash(number: number): Promise<Uint8Array | undefined> {
    return (await readBlock(this.#rpc, number, this.#names))?.hash;
  }

  /** Fetches the anchors of a range of blocks from the event log, in its order. */
  async anchors(fromBlock: number, toBlock: number): Promise<LoggedAnchor[]> {
    const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
    const response = await this.#rpc.call("eth_getLogs", [{ address: this.#address, topics: [ANCHORED], ...range }]);
    return z
      .array(Log)
      .parse(response)
      .flatMap((log) => {
        const content = this.contentOf(log);
        if (content === undefined) return [];
        return [{ ...content, transactionHash: getBytes(log.transactionHash), blockNumber: log.blockNumber }];
      });
  }

  /**
   * Returns the log filter of the contract's anchors.
   * @param hash `0x` hex; of this hash only
   */
  logFilter(hash?: string): { readonly address: readonly string[]; readonly topics: readonly string[] } {
    return { address: [this.#address], topics: hash === undefined ? [ANCHORED] : [ANCHORED, hash] };
  }

  /** Decodes an event; `undefined` for one that is not an anchor. */
  contentOf(log: { readonly topics: readonly string[]; readonly data: string }): AnchorContent | undefined {
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

  /** The hash that a transaction gives to the contract, `0x` hex; `undefined` for any other transaction. */
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
