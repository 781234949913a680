import { hexlify } from "ethers";
import type { Transactions, TransactionStore } from "./transactions.ts";
import type { Address, FinalOutcome, SignedTransaction, TransactionOutcome } from "../transaction.ts";
import { seeToOthers } from "./left-transactions.ts";
import { type ChainEvent, LostTransactions } from "./lost-transactions.ts";
import { fetchQuantity } from "../rpc/query.ts";
import { NodeError, type Rpc, toQuantity } from "../rpc/rpc.ts";
import { OutcomeWaiters } from "./outcome-waiters.ts";
import { type Receipt, readBlockReceipts, readReceipt } from "../node/receipt.ts";
import type { ValidatorNames } from "../node/block.ts";
import { classifyRefusal } from "./send-refusal.ts";
import { settlementOf } from "./transaction-outcome.ts";
import type { TransactionSigner } from "./transaction-signer.ts";

/** Signed and not settled transactions of one key; more wait as intents. */
const MAX_UNDER_WAY = 512;
/** Blocks whose receipts are read together. */
const BLOCKS_AT_ONCE = 32;
/** How often transactions without a receipt are asked for and sent again. */
const RECHECK_MILLISECONDS = 4_000;
/** How long a transaction may take before it is asked for. */
const OVERDUE_MILLISECONDS = 4_000;

/** What the sender reports; for logs and alerts. */
export type SenderEvent =
  | { readonly kind: "resent"; readonly count: number }
  | { readonly kind: "refused"; readonly id: number; readonly reason: string }
  | { readonly kind: "reverted"; readonly id: number; readonly reason: string }
  | { readonly kind: "nonce_taken"; readonly id: number; readonly nonce: number }
  | ChainEvent
  | { readonly kind: "failing"; readonly error: unknown };

export interface SenderOptions {
  readonly rpc: Rpc;
  readonly store: TransactionStore;
  readonly signer: TransactionSigner;
  readonly validatorNames: ValidatorNames;
  /** Transactions of another relayer that are older than this are seen to in its place: it may have gone for good. */
  readonly takeOverMilliseconds: number;
  /** How long a chain may lag behind what was settled before it counts as gone back. */
  readonly behindMilliseconds?: number | undefined;
  readonly onEvent: (event: SenderEvent) => void;
}

interface UnderWay extends SignedTransaction {
  sentAt: number;
}

/**
 * Sends the relayer's transactions with one key at a time, in the order of their intents.
 *
 * Promises:
 * - a transaction's nonce and signed bytes MUST be on disk before it is sent; after a crash the same bytes are sent
 *   again, so that no intent is ever carried out twice;
 * - an intent MUST end confirmed, reverted, refused or cancelled, and the outcome is on disk before anyone is told;
 * - one transaction that the node never takes does not hold up those behind it: its nonce is filled.
 */
export class TransactionSender implements Transactions {
  readonly #options: SenderOptions;
  readonly #waiters: OutcomeWaiters;
  readonly #listeners = new Set<(ids: readonly number[]) => void>();
  readonly #lost: LostTransactions;
  /** By transaction hash. */
  readonly #underWay = new Map<string, UnderWay>();
  /** Whose intents these are in the journal, whatever key they are signed with. */
  readonly #owner: Address;
  #signer: TransactionSigner;
  #successor: { readonly signer: TransactionSigner; readonly onChanged: () => void } | undefined;
  #nextNonce: number | undefined;
  #confirmedTo: number | undefined;
  #head = 0;
  #recheck: NodeJS.Timeout | undefined;
  #stopped = true;
  readonly #sending = new Set<Promise<void>>();
  /** Work runs one piece at a time: nonces, the map and the store stay in step without locks. */
  #work: Promise<void> = Promise.resolve();
  #workWaiting = false;
  #confirmWaiting = false;
  #others: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#signer = options.signer;
    this.#owner = options.signer.address;
    this.#waiters = new OutcomeWaiters((id) => options.store.outcome(id));
    this.#lost = new LostTransactions(options);
  }

  get address(): string {
    return this.#signer.address;
  }

  /**
   * Goes on with another key as soon as nothing is under way with the present one; what is intended meanwhile waits.
   * @returns when it has; never, when the sender is stopped before
   */
  changeKey(signer: TransactionSigner): Promise<void> {
    return new Promise((onChanged) => {
      this.#successor = { signer, onChanged };
      this.wake();
    });
  }

  start(): void {
    this.#stopped = false;
    this.#workWaiting = false;
    this.#confirmWaiting = false;
    this.#recheck = setInterval(() => {
      this.#enqueue(() => this.#recheckOverdue());
      this.#enqueue(() => this.#recheckChain());
      this.#seeToOthers();
    }, RECHECK_MILLISECONDS);
    this.wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#recheck);
    await Promise.all(this.#sending);
    await Promise.all([this.#work, this.#others]);
    this.release();
  }

  /** Lets nobody wait any longer: what has no outcome yet is answered as pending. */
  release(): void {
    this.#waiters.release();
  }

  wake(): void {
    if (this.#stopped || this.#workWaiting) return;
    this.#workWaiting = true;
    this.#enqueue(async () => {
      this.#workWaiting = false;
      await this.#signAndSend();
    });
  }

  /** Told of every new head. */
  onHead(blockNumber: number): void {
    this.#head = blockNumber;
    if (this.#stopped || this.#confirmWaiting) return;
    this.#confirmWaiting = true;
    this.#enqueue(async () => {
      this.#confirmWaiting = false;
      await this.#confirmTo(this.#head);
    });
  }

  outcome(id: number, waitMilliseconds: number): Promise<TransactionOutcome> {
    return this.#waiters.wait(id, waitMilliseconds);
  }

  onOutcome(listener: (ids: readonly number[]) => void): void {
    this.#listeners.add(listener);
  }

  async cancel(id: number): Promise<boolean> {
    const cancelled = await this.#options.store.cancel(id);
    if (cancelled) this.#recorded([id]);
    return cancelled;
  }

  /** Tells whoever waits for outcomes that these are on disk. */
  #recorded(ids: readonly number[]): void {
    this.#waiters.settled(ids);
    for (const listener of this.#listeners) listener(ids);
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#stopped) return;
      try {
        await work();
      } catch (error) {
        // Nothing is lost: what is on disk is taken up again by the next recheck.
        this.#options.onEvent({ kind: "failing", error });
      }
    });
  }

  /**
   * A write that failed may be there all the same: written, and not synced. What holds then only the journal knows, and
   * it is read anew before anything else is signed.
   */
  async #written<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      this.#nextNonce = undefined;
      throw error;
    }
  }

  /** Before the first transaction: what was under way when the process ended, and the nonce to go on with. */
  async #prepare(): Promise<number> {
    if (this.#nextNonce !== undefined) return this.#nextNonce;
    const { rpc, store, onEvent } = this.#options;
    const [mined, head] = await Promise.all([
      fetchQuantity(rpc, "eth_getTransactionCount", [this.#signer.address, "latest"]),
      fetchQuantity(rpc, "eth_blockNumber", []),
    ]);
    this.#confirmedTo ??= head;
    const left = await store.inFlight(this.#signer.address);
    this.#underWay.clear();
    for (const transaction of left) this.#underWay.set(hexlify(transaction.hash), { ...transaction, sentAt: 0 });
    const highest = await store.highestNonce(this.#signer.address);
    this.#nextNonce = Math.max(mined, (highest ?? -1) + 1);
    if (left.length > 0) {
      onEvent({ kind: "resent", count: left.length });
      await this.#checkAndResend([...this.#underWay.values()]);
    }
    return this.#nextNonce;
  }

  async #signAndSend(): Promise<void> {
    const { store, takeOverMilliseconds } = this.#options;
    const first = await this.#prepare();
    if (this.#successor !== undefined) return this.#succeed(this.#successor);
    const room = MAX_UNDER_WAY - this.#underWay.size;
    if (room <= 0) return;
    const queued = await store.queued(this.#owner, room, Date.now() - takeOverMilliseconds);
    if (queued.length === 0) return;
    const signatures = await Promise.all(
      queued.map((transaction, index) => this.#signer.sign(transaction, first + index)),
    );
    const signed = await this.#written(store.claim(this.#signer.address, signatures));
    if (signed.length === 0) return this.wake();
    this.#nextNonce = first + signed.length;
    for (const transaction of signed)
      this.#underWay.set(hexlify(transaction.hash), { ...transaction, sentAt: Date.now() });
    this.#send(signed);
    // Behind whatever has become due meanwhile, so that confirmations do not wait for the last intent.
    this.wake();
  }

  #succeed({ signer, onChanged }: { readonly signer: TransactionSigner; readonly onChanged: () => void }): void {
    if (this.#underWay.size > 0) return;
    this.#signer = signer;
    this.#successor = undefined;
    this.#nextNonce = undefined;
    onChanged();
    this.wake();
  }

  /** Nobody waits for the node's answers; a refusal is dealt with in its turn. */
  #send(transactions: readonly SignedTransaction[]): void {
    for (const transaction of transactions) {
      const sending = this.#options.rpc
        .call("eth_sendRawTransaction", [hexlify(transaction.raw)])
        .then(() => undefined)
        .catch((error: unknown) => this.#enqueue(() => this.#notTaken(transaction, error)))
        .finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
    }
  }

  async #notTaken(transaction: SignedTransaction, error: unknown): Promise<void> {
    const underWay = this.#underWay.get(hexlify(transaction.hash));
    // Settled meanwhile: the node had it after all.
    if (underWay === undefined) return;
    switch (classifyRefusal(error)) {
      case "known":
        return;
      case "nonce_used":
        return this.#nonceUsed(transaction);
      case "never":
        return this.#refused(transaction, error instanceof NodeError ? error.message : String(error));
      case "later":
        // The next recheck sends it again: all behind it wait for its nonce.
        underWay.sentAt = 0;
        this.#options.onEvent({ kind: "failing", error });
    }
  }

  /**
   * The nonce is taken: by this transaction, or by one that somebody else signed with the key. Only when every block
   * that can hold it was read is it certain that it was not mined, and that signing the intent anew does not carry it
   * out twice; until then the recheck asks again. Behind a balancer each answer can come from another node, and only
   * what names its block can be relied on.
   */
  async #nonceUsed(transaction: SignedTransaction): Promise<void> {
    const { rpc, store, validatorNames, onEvent } = this.#options;
    const hash = hexlify(transaction.hash);
    const receipt = await readReceipt(rpc, hash, validatorNames);
    if (receipt !== undefined) return this.#settle([receipt]);
    const head = await fetchQuantity(rpc, "eth_blockNumber", []);
    const minedNonces = await fetchQuantity(rpc, "eth_getTransactionCount", [this.#signer.address, toQuantity(head)]);
    if (minedNonces <= transaction.nonce) return;
    // Nonces are mined in order, so that it cannot stand before the block of a lower one.
    const first = (await store.lastMinedBlock(this.#signer.address, transaction.nonce)) ?? 0;
    if ((await this.#settleBlocks(first, head)) < head || !this.#underWay.has(hash)) return;
    this.#underWay.delete(hash);
    await this.#written(store.requeue(transaction.id));
    this.#nextNonce = undefined;
    onEvent({ kind: "nonce_taken", id: transaction.id, nonce: transaction.nonce });
    this.wake();
  }

  async #refused(transaction: SignedTransaction, reason: string): Promise<void> {
    const { store, onEvent } = this.#options;
    const filler = await this.#signer.filler(transaction.nonce);
    if (Buffer.compare(filler.hash, transaction.hash) === 0) {
      // Nothing else can fill the nonce, and there is no going on without it: the recheck sends it again.
      onEvent({
        kind: "failing",
        error: new Error(`the node does not take the filler of nonce ${transaction.nonce}: ${reason}`),
      });
      return;
    }
    const id = await this.#written(store.refuse(transaction.id, reason, filler));
    this.#underWay.delete(hexlify(transaction.hash));
    const inPlace = { id, ...filler, sentAt: Date.now() };
    this.#underWay.set(hexlify(filler.hash), inPlace);
    onEvent({ kind: "refused", id: transaction.id, reason });
    this.#recorded([transaction.id]);
    this.#send([inPlace]);
  }

  /** Confirms whole blocks at a time. */
  async #confirmTo(head: number): Promise<void> {
    await this.#prepare();
    const confirmed = this.#confirmedTo ?? head;
    this.#confirmedTo = this.#underWay.size === 0 ? head : await this.#settleBlocks(confirmed + 1, head);
    await this.#signAndSend();
  }

  /**
   * Settles whatever of ours a range of blocks holds.
   * @returns the last block settled: before `to` when the node lacks one, which a node behind a balancer may for a while
   */
  async #settleBlocks(from: number, to: number): Promise<number> {
    const { rpc, validatorNames } = this.#options;
    for (let first = from; first <= to; first += BLOCKS_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(BLOCKS_AT_ONCE, to - first + 1) }, (_, index) => first + index);
      const blocks = await Promise.all(numbers.map((number) => readBlockReceipts(rpc, number, validatorNames)));
      const lacking = blocks.indexOf(undefined);
      const present = lacking === -1 ? blocks : blocks.slice(0, lacking);
      await this.#settle(present.flatMap((receipts) => receipts ?? []));
      if (lacking !== -1) return first + lacking - 1;
    }
    return Math.max(to, from - 1);
  }

  async #settle(receipts: readonly Receipt[]): Promise<void> {
    const { rpc, store, onEvent } = this.#options;
    const settlements: FinalOutcome[] = [];
    for (const receipt of receipts) {
      const transaction = this.#underWay.get(receipt.transactionHash);
      if (transaction === undefined) continue;
      const settlement = await settlementOf(rpc, transaction, receipt);
      settlements.push(settlement);
      if (settlement.state === "reverted")
        onEvent({ kind: "reverted", id: transaction.id, reason: settlement.reason ?? "" });
    }
    if (settlements.length === 0) return;
    await this.#written(store.recordOutcomes(settlements));
    for (const { transactionHash } of receipts) this.#underWay.delete(transactionHash);
    this.#recorded(settlements.map(({ id }) => id));
  }

  async #recheckOverdue(): Promise<void> {
    await this.#signAndSend();
    const before = Date.now() - OVERDUE_MILLISECONDS;
    const overdue = [...this.#underWay.values()].filter(({ sentAt }) => sentAt <= before);
    if (overdue.length > 0) await this.#checkAndResend(overdue);
  }

  /** A chain can come back older than it was. A node that only lags has what is sent again already: nothing changes. */
  async #recheckChain(): Promise<void> {
    const next = await this.#prepare();
    const settled = Math.min(next, ...Array.from(this.#underWay.values(), ({ nonce }) => nonce));
    const known = await this.#lost.knownOf(this.address, settled);
    if (known !== undefined && (await this.#written(this.#lost.reopen(this.address, known)))) {
      this.#confirmedTo = undefined;
      this.#nextNonce = undefined;
      await this.#prepare();
    }
    await this.#lost.follow();
  }

  /** Beside the work for the own key, which it shares nothing with and may not hold up. */
  #seeToOthers(): void {
    const { rpc, store, validatorNames, takeOverMilliseconds, onEvent } = this.#options;
    const before = Date.now() - takeOverMilliseconds;
    this.#others ??= this.#lost
      .reopenOthers(this.#signer.address)
      .then(() =>
        seeToOthers({ rpc, store, self: this.#signer.address, before, validatorNames, isStopped: () => this.#stopped }),
      )
      .catch((error: unknown) => onEvent({ kind: "failing", error }))
      .finally(() => (this.#others = undefined));
  }

  /** Tells a lost transaction from a mined one, and sends the lost ones again: always the same bytes. */
  async #checkAndResend(transactions: readonly UnderWay[]): Promise<void> {
    const { rpc, validatorNames } = this.#options;
    const receipts = await Promise.all(transactions.map(({ hash }) => readReceipt(rpc, hexlify(hash), validatorNames)));
    await this.#settle(receipts.filter((receipt) => receipt !== undefined));
    const lost = transactions.filter((_, index) => receipts[index] === undefined);
    for (const transaction of lost) transaction.sentAt = Date.now();
    this.#send(lost);
  }
}
