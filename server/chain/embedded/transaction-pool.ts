import type { AnvilClient } from "./anvil-client.ts";
import { NodeError } from "../rpc/rpc.ts";

/**
 * The accepted transactions that are in no block yet. Anvil's own pool determines the content of a block, in the order
 * of arrival. This copy survives the end of an Anvil. Anvil also drops transactions that it should keep: when a
 * sender's transaction does not fit into a block, Anvil tries the next ones, finds their nonce too high and drops them.
 */
export class TransactionPool {
  /** By hash, in their order. */
  readonly #waiting = new Map<string, string>();

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Sends a transaction to Anvil and keeps it.
   * @returns its hash
   * @throws NodeError of Anvil
   */
  async send(node: Pick<AnvilClient, "send">, raw: string): Promise<string> {
    const hash = await node.send(raw);
    this.#waiting.set(hash, raw);
    return hash;
  }

  get(hash: string): string | undefined {
    return this.#waiting.get(hash);
  }

  remove(hash: string): void {
    this.#waiting.delete(hash);
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** Sends transactions that Anvil has dropped again, in their order; drops those that it now refuses. */
  async restore(node: Pick<AnvilClient, "send" | "poolHashes">): Promise<{ resent: number; dropped: number }> {
    const accepted = [...this.#waiting];
    const present = await node.poolHashes();
    let resent = 0;
    let dropped = 0;
    for (const [hash, raw] of accepted) {
      if (present.has(hash)) continue;
      try {
        await node.send(raw);
        resent += 1;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        this.remove(hash);
        dropped += 1;
      }
    }
    return { resent, dropped };
  }
}
