import type { AnvilClient } from "./anvil-client.ts";
import { SealbookError } from "../../errors.ts";
import { NodeError } from "../rpc/rpc.ts";

/** Waiting transactions of an account that sends over the port: twice what a relayer has in flight. */
const MOST_OF_A_SENDER = 1_024;
/** Waiting transactions of all accounts that send over the port. */
const MOST_FROM_OUTSIDE = 8_192;
/**
 * Age from which waiting transactions from outside are dropped when there are too many. All that can be mined are in a
 * block long before; the others wait for an earlier nonce.
 */
const EXPIRY_MILLISECONDS = 60_000;

interface Waiting {
  readonly raw: string;
  /** The account that sent it over the port; unset for a transaction of this process, which is not limited. */
  readonly sender: string | undefined;
  /** Milliseconds of the pool's clock. */
  readonly since: number;
}

/**
 * The accepted transactions that are in no block yet. Anvil's own pool determines the content of a block. This copy
 * survives the end of an Anvil. Anvil also drops transactions that it should keep: when a sender's transaction does not
 * fit into a block, Anvil tries the next ones, finds their nonce too high and drops them.
 */
export class TransactionPool {
  /** By hash, in their order. */
  readonly #waiting = new Map<string, Waiting>();
  /** Numbers of transactions from outside, those that Anvil checks just now included. */
  readonly #bySender = new Map<string, number>();
  #fromOutside = 0;
  readonly #now: () => number;

  /** @param now Milliseconds of a clock that only runs forward */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Sends a transaction to Anvil and keeps it.
   * @param sender The account that sent it over the port; unset for a transaction of this process
   * @returns its hash
   * @throws NodeError when the account, or all of them together, have too many waiting transactions; Anvil's error
   */
  async send(node: Pick<AnvilClient, "send" | "drop">, raw: string, sender?: string): Promise<string> {
    if (sender !== undefined) await this.#enter(node, sender);
    let hash: string;
    try {
      hash = await node.send(raw);
    } catch (error) {
      this.#leave(sender);
      throw error;
    }
    this.#waiting.set(hash, { raw, sender, since: this.#now() });
    return hash;
  }

  get(hash: string): string | undefined {
    return this.#waiting.get(hash)?.raw;
  }

  remove(hash: string): void {
    const waiting = this.#waiting.get(hash);
    if (waiting === undefined) return;
    this.#waiting.delete(hash);
    this.#leave(waiting.sender);
  }

  clear(): void {
    for (const hash of [...this.#waiting.keys()]) this.remove(hash);
  }

  async #enter(node: Pick<AnvilClient, "drop">, sender: string): Promise<void> {
    if (this.#fromOutside >= MOST_FROM_OUTSIDE) await this.#dropExpired(node);
    if (this.#fromOutside >= MOST_FROM_OUTSIDE) throw tooMany(MOST_FROM_OUTSIDE, "on this port");
    const count = this.#bySender.get(sender) ?? 0;
    if (count >= MOST_OF_A_SENDER) throw tooMany(MOST_OF_A_SENDER, `of the account ${sender}`);
    this.#bySender.set(sender, count + 1);
    this.#fromOutside += 1;
  }

  #leave(sender: string | undefined): void {
    if (sender === undefined) return;
    this.#fromOutside -= 1;
    const left = (this.#bySender.get(sender) ?? 1) - 1;
    if (left === 0) this.#bySender.delete(sender);
    else this.#bySender.set(sender, left);
  }

  async #dropExpired(node: Pick<AnvilClient, "drop">): Promise<void> {
    const before = this.#now() - EXPIRY_MILLISECONDS;
    for (const [hash, { sender, since }] of [...this.#waiting]) {
      if (since > before) return;
      if (sender === undefined) continue;
      this.remove(hash);
      await node.drop(hash);
    }
  }

  /** Sends transactions that Anvil has dropped again, in their order; drops those that it now refuses. */
  async restore(node: AnvilClient): Promise<{ resent: number; dropped: number }> {
    const accepted = [...this.#waiting];
    const present = await node.poolHashes();
    let resent = 0;
    let dropped = 0;
    for (const [hash, { raw }] of accepted) {
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

function tooMany(most: number, whose: string): NodeError {
  return new NodeError(`${most} transactions ${whose} wait already. Send this one again later.`, -32005, undefined);
}

/** The error of a block that differs from the requested one. */
export function unexpectedBlock(detail: string): SealbookError {
  return new SealbookError("chain_unavailable", `Anvil mined an unexpected block: ${detail}`);
}
