import type { Address, QueuedTransaction, SignedTransaction } from "../transaction.ts";
import type { FeeSource } from "./fees.ts";
import type { TransactionSigner } from "./transaction-signer.ts";

/**
 * Has the relayer's next nonce, and signs calls in the commit that writes them: call, nonce and signed bytes are on
 * disk together, or none of them. What it does not sign is written all the same, and the sender signs it later: when no
 * fresh fee is known, when others wait already, or when the key is in a remote signer.
 */
export class CommitSigner {
  readonly #signer: TransactionSigner;
  readonly #fees: Pick<FeeSource, "current">;
  #next: number | undefined;
  /** Calls that may be signed: as many as the chain may have in flight, and none while others wait. */
  #allowed = 0;
  /** Calls that were left for the sender, since the start. */
  #left = 0;
  /** The first nonce of the commit that is being made. */
  #first: number | undefined;
  /** Of the commit that is being made. */
  #signed: SignedTransaction[] = [];
  #commit: PromiseWithResolvers<void> | undefined;
  #listener: (signed: readonly SignedTransaction[] | undefined) => void = () => undefined;

  constructor(signer: TransactionSigner, fees: Pick<FeeSource, "current">) {
    this.#signer = signer;
    this.#fees = fees;
  }

  get address(): Address {
    return this.#signer.address;
  }

  /** The next nonce; `undefined` when the sender has to read the journal for it: until then calls wait. */
  get next(): number | undefined {
    return this.#next;
  }

  set next(nonce: number | undefined) {
    this.#next = nonce;
    if (nonce === undefined) this.#allowed = 0;
  }

  /** The next nonce after those on disk. */
  get nextOnDisk(): number | undefined {
    return this.#first ?? this.#next;
  }

  /**
   * Waits for a write of the sender. When it fails it may be on disk, written but not synced: the journal is read
   * before anything else is signed.
   */
  async written<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      this.next = undefined;
      throw error;
    }
  }

  /**
   * @param listener Called with transactions that are signed and on disk; with `undefined` when nobody knows. Never
   * throws
   */
  onCommitted(listener: (signed: readonly SignedTransaction[] | undefined) => void): void {
    this.#listener = listener;
  }

  /**
   * Sets how many further calls may be signed.
   * @param left What {@link settled} has returned: nothing is allowed once another call was left for the sender
   */
  allow(count: number, left: number): void {
    if (left === this.#left) this.#allowed = Math.max(0, count - this.#signed.length);
  }

  /** Leaves every further call for the sender, until it allows more. */
  forbid(): void {
    this.#allowed = 0;
  }

  /**
   * Resolves when the commit that has written calls, if there is one, is on disk or undone.
   * @returns the number of calls that were left for the sender so far
   */
  async settled(): Promise<number> {
    await this.#commit?.promise;
    return this.#left;
  }

  /**
   * Signs a call; inside the transaction that writes it.
   * @returns `undefined` when it has to wait
   */
  async sign(call: Omit<QueuedTransaction, "isOwn">): Promise<SignedTransaction | undefined> {
    const quote = this.#fees.current();
    const nonce = this.#next;
    this.#commit ??= Promise.withResolvers();
    if (nonce === undefined || this.#allowed === 0 || quote === undefined || !this.#signer.isLocal) {
      // Later ones wait for it.
      this.#allowed = 0;
      this.#left += 1;
      return undefined;
    }
    const signed = await this.#signer.sign(call, nonce, quote.fee);
    this.#first ??= nonce;
    if (this.#next === nonce) this.#next = nonce + 1;
    this.#allowed = Math.max(0, this.#allowed - 1);
    this.#signed.push(signed);
    return signed;
  }

  /** Returns how many calls the commit that is being made has signed. */
  mark(): number {
    return this.#signed.length;
  }

  /** Takes back what was signed after a mark: its calls are not written. */
  takeBack(mark: number): void {
    const first = this.#signed[mark];
    if (first === undefined) return;
    this.#signed.length = mark;
    // The journal may have to be read meanwhile, for another reason.
    if (this.#next !== undefined) this.#next = first.nonce;
  }

  /** Ends a commit. Without its answer nobody knows what is on disk: the journal is read before the next call. */
  ended(isCommitted: boolean): void {
    const signed = this.#signed;
    this.#signed = [];
    this.#first = undefined;
    this.#commit?.resolve();
    this.#commit = undefined;
    if (signed.length === 0) return;
    if (!isCommitted) this.next = undefined;
    this.#listener(isCommitted ? signed : undefined);
  }
}
