import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { keccak256, Transaction } from "ethers";
import { type MadeBlock, type MadeLog, type MadeTransaction, makeBlock, shownBlock } from "./made-block.ts";

/** An error response of a node. */
export interface RpcRefusal {
  readonly code: number;
  readonly message: string;
  readonly data?: string;
}

interface FakeBlock extends MadeBlock {
  /** Transactions of the one sender. */
  readonly own: number;
  readonly number: number;
  readonly time: number;
}

/** A simulated node. It mines on request, in the order of nonces, and has one sender. */
export class FakeNode {
  static readonly CHAIN_ID = 4242;
  static readonly MINER = "0x00000000000000000000000000000000000000Aa";
  /** Raw transactions in the order of their arrival. */
  readonly sent: string[] = [];
  /** Pending transactions by nonce. */
  readonly pool = new Map<number, Transaction>();
  readonly blocks: FakeBlock[] = [];
  /** Determines the handling of a transaction: an error, `lost` to drop it, `hang` for no response. */
  onSend: (transaction: Transaction, raw: string) => RpcRefusal | "lost" | "hang" | undefined = () => undefined;
  /** Whether a transaction is reverted. */
  reverts: (transaction: Transaction) => boolean = () => false;
  /** The logs of a transaction. */
  logs: (transaction: Transaction) => readonly MadeLog[] = () => [];
  /** Whether it has the state of its newest block only. */
  prunesStates = false;
  /** Receipts that the node does not show, or shows under another block. */
  receipts: "shown" | "late" | "elsewhere" = "shown";
  /** Calls that reach another node, which does not have the newest block yet. */
  lags: (method: string) => boolean = () => false;
  /** The revert data of a reverted transaction: an encoded error. */
  revertData = "0x";
  /** What it asks for a unit of gas, in wei. It has no base fee. */
  gasPrice = 0n;
  nonce = 0;
  #url = "";
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const calls = (Array.isArray(parsed) ? parsed : [parsed]) as { id: number; method: string; params: unknown[] }[];
      const responses = calls.map(({ id, method, params }) => ({
        id,
        jsonrpc: "2.0",
        ...this.#respond(method, params),
      }));
      if (responses.some((response) => "hang" in response)) return;
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(Array.isArray(parsed) ? responses : responses[0]));
    });
  });

  constructor() {
    this.mine();
  }

  get url(): string {
    return this.#url;
  }

  get head(): number {
    return this.blocks.length - 1;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /**
   * Makes a block of all executable transactions; returns its number.
   * @param others Signed transactions of others, which come first
   */
  mine(others: readonly string[] = []): number {
    const number = this.blocks.length;
    const transactions: MadeTransaction[] = others.map((raw) => ({ raw, succeeded: true, logs: [] }));
    for (let next = this.pool.get(this.nonce); next !== undefined; next = this.pool.get(this.nonce)) {
      transactions.push({ raw: next.serialized, succeeded: !this.reverts(next), logs: this.logs(next) });
      this.pool.delete(this.nonce);
      this.nonce += 1;
    }
    const at = { number, time: 1_000 + number };
    const own = transactions.length - others.length;
    this.blocks.push({
      ...at,
      own,
      ...makeBlock({ ...at, miner: FakeNode.MINER, parent: this.blocks.at(-1)?.hash }, transactions),
    });
    return number;
  }

  /** Returns how often a transaction with this call data was mined. */
  mined(hash: string): number {
    return this.blocks.flatMap(({ receipts }) => receipts).filter(({ transactionHash }) => transactionHash === hash)
      .length;
  }

  #respond(method: string, params: unknown[]): { result: unknown } | { error: RpcRefusal } | { hang: true } {
    const head = this.lags(method) ? this.head - 1 : this.head;
    switch (method) {
      case "eth_blockNumber":
        return { result: quantity(head) };
      case "eth_getTransactionCount": {
        if (this.prunesStates && params[1] !== "latest" && Number(params[1]) !== head)
          return { error: { code: -32000, message: "missing trie node" } };
        const later = this.blocks.slice(1 + (params[1] === "latest" ? head : Number(params[1])));
        return { result: quantity(later.reduce((count, { own }) => count - own, this.nonce)) };
      }
      case "eth_getBlockByNumber": {
        const block = this.blocks[params[0] === "latest" ? this.head : Number(params[0])];
        return { result: block === undefined ? null : { ...shownBlock(block, params[1]), hash: block.hash } };
      }
      case "eth_getBlockReceipts": {
        const block = this.blocks[Number(params[0])];
        if (block === undefined || this.receipts === "late") return { result: null };
        return { result: block.receipts.map((receipt) => this.#receipt(receipt)) };
      }
      case "eth_getTransactionReceipt": {
        if (this.receipts === "late") return { result: null };
        for (const block of this.blocks.slice(0, head + 1)) {
          const receipt = block.receipts.find(({ transactionHash }) => transactionHash === params[0]);
          if (receipt !== undefined) return { result: this.#receipt(receipt) };
        }
        return { result: null };
      }
      case "eth_gasPrice":
        return { result: `0x${this.gasPrice.toString(16)}` };
      case "eth_call":
        return { error: { code: 3, message: "execution reverted", data: this.revertData } };
      case "eth_sendRawTransaction":
        return this.#take(String(params[0]));
      default:
        return { error: { code: -32601, message: `the method ${method} does not exist` } };
    }
  }

  #take(raw: string): { result: unknown } | { error: RpcRefusal } | { hang: true } {
    this.sent.push(raw);
    const transaction = Transaction.from(raw);
    const verdict = this.onSend(transaction, raw);
    if (verdict === "hang") return { hang: true };
    if (verdict === "lost") return { result: transaction.hash };
    if (verdict !== undefined) return { error: verdict };
    if (transaction.nonce < this.nonce) return { error: { code: -32000, message: "nonce too low" } };
    if (this.pool.has(transaction.nonce)) return { error: { code: -32000, message: "already known" } };
    this.pool.set(transaction.nonce, transaction);
    return { result: transaction.hash };
  }

  #receipt(receipt: object): object {
    return this.receipts === "elsewhere" ? { ...receipt, blockHash: keccak256(Buffer.from("elsewhere")) } : receipt;
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
