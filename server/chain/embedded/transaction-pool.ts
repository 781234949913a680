import type { AnvilClient } from "./anvil-client.ts";
import { SealbookError } from "../../errors.ts";
import { NodeError } from "../rpc/rpc.ts";
import { GasAllowance } from "./gas-allowance.ts";
import { BLOCK_GAS_LIMIT } from "./genesis.ts";
import { HeldTransactions, type WaitingOutside } from "./held-transactions.ts";
import type { OutsideTransaction } from "./raw-transaction.ts";

/** Waiting transactions of an account that sends over the port: twice what a relayer has in flight. */
const MOST_OF_A_SENDER = 1_024;
/** Waiting transactions of all accounts that send over the port. */
const MOST_FROM_OUTSIDE = 8_192;
/** Characters of all these transactions. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
/**
 * Age from which waiting transactions from outside are dropped when there are too many. All that can be mined are in a
 * block long before; the others wait for an earlier nonce.
 */
const EXPIRY_MILLISECONDS = 60_000;
/** Gas of transactions from outside: half a block each second. The rest of each block is left to this process. */
const OUTSIDE_GAS = 15_000_000;
const OUTSIDE_GAS_MILLISECONDS = 1_000;

interface Waiting {
  readonly raw: string;
  /** Unset for a transaction of this process, which is not limited. */
  readonly outside: WaitingOutside | undefined;
}

/** The calls to Anvil that sending takes. */
export type PoolNode = Pick<AnvilClient, "send" | "drop" | "nextNonce">;

/**
 * The accepted transactions that are in no block yet. Anvil's own pool determines the content of a block, in the order
 * of arrival. This copy survives the end of an Anvil. Anvil also drops transactions that it should keep: when a
 * sender's transaction does not fit into a block, Anvil tries the next ones, finds their nonce too high and drops them.
 *
 * Anvil receives transactions from outside only when they can be mined, and only for a part of each block's gas: those
 * of this process never wait behind them. The others are held here.
 */
export class TransactionPool {
  /** Those that Anvil has, by hash, in their order. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #held = new HeldTransactions();
  /** Numbers of transactions from outside, those that Anvil checks just now included. */
  readonly #bySender = new Map<string, number>();
  #fromOutside = 0;
  #characters = 0;
  readonly #allowance: GasAllowance;
  readonly #now: () => number;

  /** @param now Milliseconds of a clock that only runs forward */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#allowance = new GasAllowance(OUTSIDE_GAS, OUTSIDE_GAS_MILLISECONDS, now);
  }

  /** Transactions that Anvil has. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Sends a transaction of this process to Anvil and keeps it.
   * @returns its hash
   * @throws NodeError of Anvil
   */
  async send(node: Pick<PoolNode, "send">, raw: string): Promise<string> {
    return this.#forward(node, { raw, outside: undefined });
  }

  /**
   * Accepts a transaction from outside: sends it to Anvil, or holds it until {@link release}.
   * @throws NodeError when the account, or all of them together, have too many waiting transactions; Anvil's error
   */
  async accept(node: PoolNode, transaction: OutsideTransaction): Promise<string> {
    const outside = { ...transaction, since: this.#now() };
    await this.#enter(node, outside);
    try {
      const next = await node.nextNonce(outside.sender);
      // Anvil refuses it, for good.
      const isInvalid = outside.nonce < next || outside.gas > BLOCK_GAS_LIMIT;
      if (isInvalid) return await this.#forward(node, { raw: outside.raw, outside });
      const isNext = outside.nonce === next && !this.#held.isAnyReady;
      if (isNext && this.#allowance.take(outside.gas) === 0) return await this.#forwardOutside(node, outside);
      if (!this.#held.add(outside)) throw new NodeError("A transaction with this nonce waits.", -32000, undefined);
      if (outside.nonce === next) this.#held.markReady(outside.sender);
      return outside.hash;
    } catch (error) {
      this.#leave(outside);
      throw error;
    }
  }

  /**
   * Sends held transactions to Anvil as far as they can be mined and the gas for outside permits, one of each sender in
   * turn.
   * @returns milliseconds after which more gas is left; `undefined` when none of them waits for gas
   */
  async release(node: PoolNode): Promise<number | undefined> {
    for (;;) {
      const sender = this.#held.nextReady();
      if (sender === undefined) return undefined;
      const next = await node.nextNonce(sender);
      const outside = this.#held.get(sender, next);
      if (outside === undefined) {
        this.#held.endTurn(sender);
        continue;
      }
      const milliseconds = this.#allowance.take(outside.gas);
      if (milliseconds > 0) return milliseconds;
      this.#held.remove(outside);
      this.#held.endTurn(sender);
      await this.#forwardOutside(node, outside).catch((error: unknown) => {
        this.#leave(outside);
        if (!(error instanceof NodeError)) throw error;
      });
    }
  }

  get(hash: string): string | undefined {
    return this.#waiting.get(hash)?.raw;
  }

  remove(hash: string): void {
    const waiting = this.#waiting.get(hash);
    if (waiting === undefined) return;
    this.#waiting.delete(hash);
    if (waiting.outside !== undefined) this.#leave(waiting.outside);
  }

  clear(): void {
    for (const hash of [...this.#waiting.keys()]) this.remove(hash);
    for (const outside of this.#held.all()) this.#drop(outside);
  }

  /** Forwards a transaction for which gas was taken. */
  async #forwardOutside(node: Pick<PoolNode, "send">, outside: WaitingOutside): Promise<string> {
    try {
      return await this.#forward(node, { raw: outside.raw, outside });
    } catch (error) {
      this.#allowance.give(outside.gas);
      throw error;
    }
  }

  async #forward(node: Pick<PoolNode, "send">, waiting: Waiting): Promise<string> {
    const hash = await node.send(waiting.raw);
    this.#waiting.set(hash, waiting);
    const { outside } = waiting;
    // Those after it can be mined now.
    if (outside !== undefined) this.#held.markReady(outside.sender);
    return hash;
  }

  async #enter(node: PoolNode, { sender, raw }: OutsideTransaction): Promise<void> {
    const isFull = (): boolean =>
      this.#fromOutside >= MOST_FROM_OUTSIDE || this.#characters + raw.length > MOST_CHARACTERS;
    if (isFull()) await this.#dropExpired(node);
    if (isFull()) throw tooMany(this.#fromOutside, "on this port");
    const count = this.#bySender.get(sender) ?? 0;
    if (count >= MOST_OF_A_SENDER) throw tooMany(count, `of the account ${sender}`);
    this.#bySender.set(sender, count + 1);
    this.#fromOutside += 1;
    this.#characters += raw.length;
  }

  #leave({ sender, raw }: OutsideTransaction): void {
    this.#fromOutside -= 1;
    this.#characters -= raw.length;
    const left = (this.#bySender.get(sender) ?? 1) - 1;
    if (left === 0) this.#bySender.delete(sender);
    else this.#bySender.set(sender, left);
  }

  async #dropExpired(node: Pick<PoolNode, "drop">): Promise<void> {
    const before = this.#now() - EXPIRY_MILLISECONDS;
    for (const outside of this.#held.all()) if (outside.since <= before) this.#drop(outside);
    for (const [hash, { outside }] of [...this.#waiting]) {
      if (outside === undefined || outside.since > before) continue;
      this.remove(hash);
      await node.drop(hash);
    }
  }

  /** Drops a held transaction. */
  #drop(outside: WaitingOutside): void {
    this.#held.remove(outside);
    this.#leave(outside);
  }

  /** Sends transactions that Anvil has dropped again, in their order; drops those that it now refuses. */
  async restore(node: Pick<AnvilClient, "send" | "poolHashes">): Promise<{ resent: number; dropped: number }> {
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
