import type { OutsideTransaction } from "./raw-transaction.ts";

/** A transaction from outside, and since when it waits, in milliseconds of the pool's clock. */
export type WaitingOutside = OutsideTransaction & { readonly since: number };

/** Transactions from outside that Anvil does not have yet: they wait for an earlier nonce, or for gas. */
export class HeldTransactions {
  /** By sender and nonce. */
  readonly #bySender = new Map<string, Map<number, WaitingOutside>>();
  /** Senders whose next transaction may be here, in the order of their turns. */
  readonly #ready = new Set<string>();

  /** Whether transactions may wait for gas. */
  get isAnyReady(): boolean {
    return this.#ready.size > 0;
  }

  /** @returns false when there is one with this nonce */
  add(transaction: WaitingOutside): boolean {
    const { sender, nonce } = transaction;
    const ofSender = this.#bySender.get(sender) ?? new Map<number, WaitingOutside>();
    if (ofSender.has(nonce)) return false;
    this.#bySender.set(sender, ofSender.set(nonce, transaction));
    return true;
  }

  remove({ sender, nonce }: WaitingOutside): void {
    const ofSender = this.#bySender.get(sender);
    ofSender?.delete(nonce);
    if (ofSender?.size !== 0) return;
    this.#bySender.delete(sender);
    this.#ready.delete(sender);
  }

  get(sender: string, nonce: number): WaitingOutside | undefined {
    return this.#bySender.get(sender)?.get(nonce);
  }

  all(): WaitingOutside[] {
    return [...this.#bySender.values()].flatMap((ofSender) => [...ofSender.values()]);
  }

  /** The sender's next nonce has changed. */
  markReady(sender: string): void {
    if (this.#bySender.has(sender)) this.#ready.add(sender);
  }

  /** Returns the sender whose turn it is. */
  nextReady(): string | undefined {
    return this.#ready.values().next().value;
  }

  /** Takes a sender out of turn, until it is marked again. */
  endTurn(sender: string): void {
    this.#ready.delete(sender);
  }
}
