import type { AnvilClient } from "./anvil-client.ts";
import { SealbookError } from "../../errors.ts";
import { NodeError } from "../rpc/rpc.ts";

const CAPACITY = 20_000;

/**
 * The accepted transactions that are in no block yet. Anvil's own pool determines the content of a block. This copy
 * survives the end of an Anvil. Anvil also drops transactions that it should keep: when a sender's transaction does not
 * fit into a block, Anvil tries the next ones, finds their nonce too high and drops them.
 */
export class TransactionPool {
  readonly #raws = new Map<string, string>();

  get size(): number {
    return this.#raws.size;
  }

  get isFull(): boolean {
    return this.#raws.size >= CAPACITY;
  }

  add(hash: string, raw: string): void {
    this.#raws.set(hash, raw);
  }

  get(hash: string): string | undefined {
    return this.#raws.get(hash);
  }

  remove(hash: string): void {
    this.#raws.delete(hash);
  }

  clear(): void {
    this.#raws.clear();
  }

  /** Sends transactions that Anvil has dropped again, in their order; drops those that it now refuses. */
  async restore(node: AnvilClient): Promise<{ resent: number; dropped: number }> {
    const accepted = [...this.#raws];
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
        this.#raws.delete(hash);
        dropped += 1;
      }
    }
    return { resent, dropped };
  }
}

/** The error of a full pool. */
export function poolFull(): NodeError {
  return new NodeError(`${CAPACITY} transactions wait already. Send this one again later.`, -32005, undefined);
}

/** The error of a block that differs from the requested one. */
export function unexpectedBlock(detail: string): SealbookError {
  return new SealbookError("chain_unavailable", `Anvil mined an unexpected block: ${detail}`);
}
