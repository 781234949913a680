import * as z from "zod";
import { fetchBlock, NodeBlock } from "../node/node-block.ts";
import { Hash, Hex, Quantity, fetchQuantity } from "../rpc/query.ts";
import { unavailable } from "../rpc/rpc.ts";
import type { AnvilProcess } from "./anvil-process.ts";

/** Checked without a repeated group, which exhausts the stack on a dump of many megabytes. */
const Bytes = Hex.refine((hex) => hex.length % 2 === 0);
const Block = NodeBlock.pick({ number: true, hash: true, parentHash: true, timestamp: true, transactions: true });
const PoolStatus = z.object({ pending: Quantity, queued: Quantity });
const PoolPart = z.record(z.string(), z.record(z.string(), z.object({ hash: Hash })));
const PoolContent = z.object({ pending: PoolPart, queued: PoolPart });

/** The client of Anvil's methods that make blocks. */
export class AnvilClient {
  readonly process: AnvilProcess;
  readonly #control: AnvilProcess["control"];

  constructor(process: AnvilProcess) {
    this.process = process;
    this.#control = process.control;
  }

  /** Adds a transaction to Anvil's pool; returns its hash. */
  async send(raw: string): Promise<string> {
    return Hash.parse(await this.#control.call("eth_sendRawTransaction", [raw]));
  }

  /** Fetches the nonce after those of an account's transactions in blocks and in Anvil's pool. */
  async nextNonce(account: string): Promise<number> {
    return fetchQuantity(this.#control, "eth_getTransactionCount", [account, "pending"]);
  }

  /** Removes a waiting transaction from Anvil's pool. */
  async drop(hash: string): Promise<void> {
    await this.#control.call("anvil_dropTransaction", [hash]);
  }

  /** Mines the next block from the pool. */
  async mine(timestamp: number): Promise<void> {
    await this.#control.call("evm_mine", [timestamp]);
  }

  async block(number: number): Promise<z.output<typeof Block>> {
    const block = await fetchBlock(this.#control, number, Block);
    if (block === undefined) throw unavailable(new Error(`Anvil does not have block ${number}`));
    return block;
  }

  async rawTransaction(hash: string): Promise<string> {
    return Bytes.parse(await this.#control.call("eth_getRawTransactionByHash", [hash]));
  }

  /** Counts waiting transactions: `pending` fit into the next block, `queued` wait for an earlier nonce. */
  async poolStatus(): Promise<z.infer<typeof PoolStatus>> {
    return PoolStatus.parse(await this.#control.call("txpool_status", []));
  }

  /** Fetches the hashes of all waiting transactions. */
  async poolHashes(): Promise<Set<string>> {
    const content = PoolContent.parse(await this.#control.call("txpool_content", []));
    const senders = [...Object.values(content.pending), ...Object.values(content.queued)];
    return new Set(senders.flatMap((nonces) => Object.values(nonces).map(({ hash }) => hash)));
  }

  /** Fetches the whole chain with every block and receipt, as gzipped JSON. */
  async dumpState(): Promise<Buffer> {
    return Buffer.from(Bytes.parse(await this.#control.call("anvil_dumpState", [])).slice(2), "hex");
  }
}
