import { hexlify } from "ethers";
import type { OutcomeListener, Transactions, TransactionStore } from "./types.ts";
import type { Address, QueuedTransaction, SignedTransaction, TransactionOutcome } from "../transaction.ts";
import { type FeeQuote, type FeeSource, gwei } from "./fees.ts";
import { FinalNonces } from "./final-nonces.ts";
import { byTransaction, hashesOf, type InFlight, InFlightTransactions, newestOf } from "./in-flight.ts";
import type { TransactionInBlock } from "../evidence/verified-chain.ts";
import type { OutcomeRules } from "./final-outcome.ts";
import { BLOCKS_AT_ONCE, type OutcomeEvent, OutcomeRecorder } from "./outcome-recorder.ts";
import { highestSignedNonce, versionsOf } from "./signed-nonces.ts";
import { TakeOver } from "./take-over.ts";
import { type ChainEvent, RollbackDetector } from "./rollback-detector.ts";
import { fetchQuantity } from "../rpc/query.ts";
import { NodeError } from "../rpc/node-error.ts";
import { isContradiction } from "../rpc/rpc.ts";
import { every, type Interval } from "../../kit/time.ts";
import { feeRefusal } from "./send-refusal.ts";
import type { CommitSigner } from "./commit-signer.ts";
import { fillerFor, raisedLowest } from "./replacements.ts";
import { feeOf, type TransactionSigner } from "./transaction-signer.ts";
import { classifyRefusal } from "../rpc/node-words.ts";

/** Maximum number of transactions in flight per key; further ones wait as intents. */
const MAX_IN_FLIGHT = 512;
/** Interval at which transactions without a receipt are queried and sent again, from this age on. */
const RECHECK_MILLISECONDS = 4_000;
/** Time after which a transaction of another key is given up that is in no block. */
const ABANDON_MILLISECONDS = 60_000;

/** Events of the sender, for logs and alerts. */
export type SenderEvent =
  | { readonly kind: "resent"; readonly count: number }
  | { readonly kind: "replaced"; readonly nonce: number; readonly maxFee: string }
  | { readonly kind: "refused"; readonly id: number; readonly reason: string }
  | { readonly kind: "foreign_call"; readonly id: number; readonly reason: string }
  | OutcomeEvent
  | { readonly kind: "signed_anew"; readonly count: number }
  | { readonly kind: "nonce_taken"; readonly id: number; readonly nonce: number }
  | { readonly kind: "gap_filled"; readonly nonce: number; readonly count: number }
  | ChainEvent
  | { readonly kind: "failing"; readonly error: unknown };

export interface TransactionSenderDeps extends OutcomeRules {
  readonly store: TransactionStore;
  /** The relayer's contracts. */
  readonly contracts: readonly Address[];
  readonly signer: TransactionSigner;
  readonly commitSigner: CommitSigner;
  readonly fees: Pick<FeeSource, "quote" | "current">;
  /** Returns why an intent is not one of the relayer's own calls; `undefined` for one that is signed. */
  readonly foreignCallReason: (call: QueuedTransaction) => string | undefined;
  /** Time for which a chain may lack mined transactions before it counts as rolled back. */
  readonly lagMilliseconds?: number | undefined;
  /** Interval at which transactions without a receipt are queried and sent again, from this age on. */
  readonly recheckMilliseconds?: number | undefined;
  /** Time after which a transaction of another key is given up that is in no block. */
  readonly abandonMilliseconds?: number | undefined;
  readonly onEvent: (event: SenderEvent) => void;
  /** Called with the newest final block at each head, as soon as its logs were recorded, or could not be. */
  readonly onRead?: (final: number) => void;
}

/**
 * Sends the relayer's transactions with one key at a time, in the order of their intents.
 *
 * Guarantees:
 * - a transaction's nonce and signed bytes MUST be on disk before it is sent; after a crash the same bytes are sent
 *   again, so that no intent is ever executed twice;
 * - a transaction whose fee has become too low is replaced by one with the same nonce, and both MUST be on disk before
 *   the second is sent; whichever is mined is the outcome;
 * - an intent MUST end confirmed, reverted, refused or cancelled, and the outcome is on disk before it is returned;
 * - a transaction that the node never accepts does not block later ones: its nonce is filled;
 * - only the relayer's own calls are signed: any other intent is refused.
 */
export class TransactionSender implements Transactions {
  readonly #deps: TransactionSenderDeps;
  readonly #outcomes: OutcomeRecorder;
  readonly #rollback: RollbackDetector;
  readonly #recheckMilliseconds: number;
  readonly #inFlight = new InFlightTransactions();
  readonly #finalNonces: FinalNonces;
  readonly #signer: TransactionSigner;
  /** Has the next nonce; unset until the journal is read for it. */
  readonly #nonces: CommitSigner;
  /** The number of calls that were left for the sender when none waited last. */
  #noneWaiting: number | undefined;
  #confirmedTo: number | undefined;
  /** Nonces below were used at the count before. */
  #usedBefore = 0;
  #head = 0;
  #recheck: Interval | undefined;
  #stopped = true;
  readonly #sending = new Set<Promise<void>>();
  /** Work runs one piece at a time, so that nonces, the map and the store are consistent without locks. */
  #work: Promise<void> = Promise.resolve();
  #workWaiting = false;
  #confirmWaiting = false;
  readonly #takeOver: TakeOver;
  #others: Promise<void> | undefined;

  constructor(deps: TransactionSenderDeps) {
    this.#deps = deps;
    this.#signer = deps.signer;
    this.#nonces = deps.commitSigner;
    this.#nonces.onCommitted((signed) => this.#committed(signed));
    this.#finalNonces = new FinalNonces(deps.chain, deps.signer.address);
    this.#outcomes = new OutcomeRecorder({
      ...deps,
      inFlight: this.#inFlight,
      nonces: deps.commitSigner,
    });
    this.#rollback = new RollbackDetector({ ...deps, rpc: deps.chain.rpc });
    this.#recheckMilliseconds = deps.recheckMilliseconds ?? RECHECK_MILLISECONDS;
    this.#takeOver = new TakeOver({
      ...deps,
      record: (outcomes) => this.#outcomes.record(outcomes),
      onAbandoned: (count) => {
        deps.onEvent({ kind: "signed_anew", count });
        this.#noneWaiting = undefined;
        this.wake();
      },
      self: deps.signer.address,
      abandonMilliseconds: deps.abandonMilliseconds ?? ABANDON_MILLISECONDS,
      isStopped: () => this.#stopped,
    });
  }

  get address(): string {
    return this.#signer.address;
  }

  /** Since when a node has had a transaction in flight, by `performance.now()`; `undefined` when none has. */
  get takenSince(): number | undefined {
    return this.#inFlight.takenSince;
  }

  start(): void {
    this.#stopped = false;
    this.#workWaiting = false;
    this.#confirmWaiting = false;
    this.#recheck = every(this.#recheckMilliseconds, () => {
      this.#noneWaiting = undefined;
      // Calls are signed in their commits while a fresh fee is known.
      this.#deps.fees.quote().catch(() => undefined);
      this.#enqueue(() => this.#recheckOverdue());
      this.#enqueue(() => this.#recheckChain());
      this.#completeOthers();
    });
    this.wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#nonces.forbid();
    await this.#recheck?.stop();
    await Promise.all([this.#work, this.#others]);
    await Promise.all(this.#sending);
    // What is signed from now on is sent by the next start.
    this.#nonces.next = undefined;
    this.release();
  }

  /** Ends every wait: a transaction without an outcome is pending. */
  release(): void {
    this.#outcomes.release();
  }

  wake(): void {
    if (this.#stopped || this.#workWaiting) return;
    this.#workWaiting = true;
    this.#enqueue(async () => {
      this.#workWaiting = false;
      await this.#signAndSend();
    });
  }

  /** Handles a new head. */
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
    return this.#outcomes.outcome(id, waitMilliseconds);
  }

  onOutcome(listener: OutcomeListener): void {
    this.#outcomes.onOutcome(listener);
  }

  async cancel(id: number): Promise<boolean> {
    const cancelled = await this.#deps.store.cancel(id);
    if (cancelled) this.#outcomes.publish([[id, { state: "cancelled" }]]);
    return cancelled;
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#stopped) return;
      try {
        await work();
      } catch (error) {
        // Nothing is lost: the next recheck resumes what is on disk.
        this.#deps.onEvent({ kind: "failing", error });
      }
    });
  }

  /** Resumes what is in flight and returns the next nonce; runs before the first transaction. */
  async #prepare(): Promise<number> {
    const { next: known } = this.#nonces;
    if (known !== undefined) return known;
    const { chain, store, onEvent } = this.#deps;
    const { rpc } = chain;
    await this.#nonces.settled();
    const [mined, final] = await Promise.all([
      fetchQuantity(rpc, "eth_getTransactionCount", [this.#signer.address, "latest"]),
      chain.newestNumber(),
    ]);
    this.#confirmedTo ??= final;
    await this.#outcomes.publishUncertain();
    const left = await store.inFlight(this.#signer.address);
    this.#inFlight.clear();
    for (const each of byTransaction(left)) {
      const { versions, isOwn } = versionsOf(this.#signer, each);
      for (const version of versions) this.#inFlight.add(version, -Infinity, isOwn);
    }
    const used = Array.from(this.#inFlight.own(), ({ nonce }) => nonce);
    const next = Math.max(mined, 1 + Math.max(await highestSignedNonce(this.#signer, store), ...used));
    this.#nonces.next = next;
    if (left.length > 0) {
      onEvent({ kind: "resent", count: this.#inFlight.size });
      await this.#checkAndResend(this.#inFlight.all());
    }
    return next;
  }

  async #signAndSend(): Promise<void> {
    const { store } = this.#deps;
    await this.#prepare();
    const left = await this.#nonces.settled();
    const waiting =
      left === this.#noneWaiting ? [] : await store.queued(Math.max(1, MAX_IN_FLIGHT - this.#inFlight.size));
    const room = MAX_IN_FLIGHT - this.#inFlight.size;
    if (this.#stopped) return;
    if (waiting.length === 0) this.#noneWaiting = left;
    if (room > 0 && waiting.length === 0) return this.#nonces.allow(room, left);
    // No others are signed in their commits before these.
    this.#nonces.forbid();
    if (room <= 0) return;
    const { fee, fault } = await this.#deps.fees.quote();
    // Unsigned intents wait: signed ones would keep nonces that no block takes.
    if (fault !== undefined) return;
    const queued = await this.#ownCalls(waiting.slice(0, room));
    if (queued.length === 0) return this.wake();
    // Commits that have used nonces are on disk, or undone.
    await this.#nonces.settled();
    const first = await this.#prepare();
    const signatures = await Promise.all(
      queued.map((transaction, index) => this.#signer.sign(transaction, first + index, fee)),
    );
    const signed = await this.#nonces.written(
      store.claim(this.#signer.address, signatures, () => this.#nonces.next === first),
    );
    if (signed.length === 0) return this.wake();
    this.#nonces.next = first + signed.length;
    for (const transaction of signed) this.#inFlight.add(transaction, performance.now());
    this.#send(signed);
    // Queued behind other work, so that confirmations do not wait for the last intent.
    this.wake();
  }

  /** Sends what was signed in the commit that wrote it. */
  #committed(signed: readonly SignedTransaction[] | undefined): void {
    if (this.#stopped) return;
    // The journal is read for what is on disk.
    if (signed === undefined) return this.wake();
    for (const transaction of signed) this.#inFlight.add(transaction, performance.now());
    this.#send(signed);
  }

  /** Refuses intents that are no calls of the relayer: whoever can write to the database could have put them there. */
  async #ownCalls(waiting: readonly QueuedTransaction[]): Promise<QueuedTransaction[]> {
    const { store, foreignCallReason, onEvent } = this.#deps;
    const own: QueuedTransaction[] = [];
    for (const call of waiting) {
      const reason = foreignCallReason(call);
      if (reason === undefined) {
        own.push(call);
        continue;
      }
      await this.#outcomes.write([call.id], () => store.reject(call.id, reason));
      onEvent({ kind: "foreign_call", id: call.id, reason });
      this.#outcomes.publish([[call.id, { state: "refused", reason }]]);
    }
    return own;
  }

  /** Does not wait for the node's responses; a refusal is queued as work. */
  #send(transactions: readonly SignedTransaction[]): void {
    for (const transaction of transactions) {
      const sending = this.#deps.chain.rpc
        .call("eth_sendRawTransaction", [hexlify(transaction.raw)])
        .then(() => this.#inFlight.taken(hexlify(transaction.hash)))
        .catch((error: unknown) => this.#enqueue(() => this.#notTaken(transaction, error)))
        .finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
    }
  }

  async #notTaken(transaction: SignedTransaction, error: unknown): Promise<void> {
    const inFlight = this.#inFlight.find(hexlify(transaction.hash));
    // Its outcome is recorded: the node did have the transaction.
    if (inFlight === undefined) return;
    const refusal = classifyRefusal(error);
    // Whatever the node says: nodes have many words for it.
    if (error instanceof NodeError && (await this.#finalNonces.isUsed(inFlight.nonce)))
      return this.#nonceUsed(inFlight);
    switch (refusal) {
      case "known":
        return this.#inFlight.taken(hexlify(transaction.hash));
      case "nonce_used":
        return this.#nonceUsed(inFlight);
      case "never":
        return this.#refused(inFlight, error instanceof NodeError ? error.message : String(error));
      case "underpriced":
      case "unfunded":
      case "later": {
        // A quote from before shows no reason.
        const quote = refusal === "later" ? undefined : await this.#deps.fees.quote(inFlight.sentAt);
        // The next recheck sends it again: later ones wait for its nonce.
        inFlight.sentAt = -Infinity;
        if (refusal !== "later" && transaction === newestOf(inFlight)) inFlight.refusal = refusal;
        this.#deps.onEvent({
          kind: "failing",
          error: quote === undefined ? error : feeRefusal(error, this.#signer.address, quote),
        });
      }
    }
  }

  /**
   * Handles a used nonce: this transaction used it, or another one signed with the key elsewhere. Every block that can
   * hold this transaction has to be read before its intent is signed again; otherwise the intent could be executed
   * twice. Until then the recheck repeats this.
   */
  async #nonceUsed(transaction: InFlight): Promise<void> {
    const { chain, store, onEvent } = this.#deps;
    const mined = (await chain.transactions(hashesOf(transaction))).find((at) => at !== undefined);
    if (mined === "unfinal") return;
    if (mined !== undefined) {
      await this.#outcomes.recordMined([mined]);
      return;
    }
    const final = await this.#finalNonces.blockThatUses(transaction.nonce);
    if (final === undefined) return;
    // Nonces are mined in order: it cannot be in a block before that of a lower one.
    const first = (await store.lastMined(this.#signer.address, transaction.nonce))?.block ?? 0;
    if (
      (await this.#outcomes.recordBlocks(first, final, "whole blocks")).last < final ||
      !this.#inFlight.has(transaction.id)
    )
      return;
    this.#inFlight.delete(transaction.id);
    this.#noneWaiting = undefined;
    await this.#nonces.written(store.requeue(transaction.id));
    this.#nonces.next = undefined;
    onEvent({ kind: "nonce_taken", id: transaction.id, nonce: transaction.nonce });
    this.wake();
  }

  async #refused(transaction: InFlight, reason: string): Promise<void> {
    const { fees, onEvent } = this.#deps;
    const { id, nonce } = transaction;
    const filler = await fillerFor(this.#signer, transaction, await fees.quote());
    if (filler === undefined) {
      // Nothing else can fill the nonce, and later ones need it: the recheck sends it again. Nodes can refuse a
      // transaction for itself before they see that its nonce is used.
      onEvent({ kind: "failing", error: new Error(`the node does not take nonce ${nonce}: ${reason}`) });
      return this.#nonceUsed(transaction);
    }
    transaction.fault = reason;
    onEvent({ kind: "refused", id, reason });
    await this.#replace(filler);
  }

  /** Records what final blocks have brought, and sends what waits. */
  async #confirmTo(head: number): Promise<void> {
    const { chain, fees, onRead } = this.#deps;
    const final = await chain.newestNumber(head);
    let unreadTo: number | undefined;
    try {
      await this.#prepare();
      const confirmed = this.#confirmedTo ?? final;
      // The others do not wait until many blocks are read.
      if (final - confirmed > BLOCKS_AT_ONCE) onRead?.(final);
      if (this.#inFlight.size === 0) this.#confirmedTo = final;
      else {
        const recorded = await this.#outcomes.recordBlocks(confirmed + 1, final, "blocks with logs");
        this.#confirmedTo = recorded.last;
        if (recorded.hasUnread) unreadTo = recorded.last;
      }
    } finally {
      onRead?.(final);
    }
    await this.#signAndSend();
    const quote = fees.current();
    if (quote !== undefined) await this.#replaceLowest(quote);
    if (unreadTo !== undefined) await this.#recordWithoutLogs(unreadTo);
  }

  /**
   * Records the outcomes of calls that have no log in their block, because they were reverted, or repeat an anchor:
   * their nonces are used all the same. What is not found now, the recheck finds.
   * @param block The last block whose logs are recorded
   */
  async #recordWithoutLogs(block: number): Promise<void> {
    const own = this.#inFlight.own();
    const used = own.length === 0 ? undefined : await this.#finalNonces.usedAt(block);
    if (used === undefined) return;
    const before = this.#usedBefore;
    this.#usedBefore = used;
    const mined = own.filter(({ nonce }) => nonce >= before && nonce < used).flatMap(hashesOf);
    if (mined.length === 0) return;
    await this.#outcomes.recordMined(minedOf(await this.#deps.chain.transactions(mined)));
    // There is room for others.
    this.wake();
  }

  async #recheckOverdue(): Promise<void> {
    await this.#outcomes.publishUncertain();
    await this.#signAndSend();
    const before = performance.now() - this.#recheckMilliseconds;
    const overdue = this.#inFlight.all().filter(({ sentAt }) => sentAt <= before);
    if (overdue.length > 0) await this.#checkAndResend(overdue);
    if (this.#inFlight.size > 0) await this.#replaceLowest(await this.#deps.fees.quote());
  }

  /** Checks for a rollback. A node that only lags has the transactions that are sent again: nothing changes. */
  async #recheckChain(): Promise<void> {
    const prepared = await this.#prepare();
    // No node can know what is not on disk yet.
    const next = this.#nonces.nextOnDisk ?? prepared;
    const mined = Math.min(next, ...Array.from(this.#inFlight.own(), ({ nonce }) => nonce));
    const remaining = await this.#rollback.remainingOf(this.address, mined);
    if (remaining !== undefined) {
      const isRolledBack = await this.#nonces.written(this.#rollback.reopen(this.address, remaining));
      this.#usedBefore = 0;
      if (isRolledBack) this.#confirmedTo = undefined;
      else await this.#fillGap(remaining, mined);
      this.#nonces.next = undefined;
      await this.#prepare();
    }
    await this.#rollback.checkRecovered();
  }

  /**
   * Fills nonces that the chain expects and that no transaction of the journal has: the first nonce was assigned after
   * a node had returned too high a count. Without transactions in flight the next nonce is the one that the chain
   * expects.
   */
  async #fillGap(from: number, to: number): Promise<void> {
    if (this.#inFlight.size === 0) return;
    const { store, fees, onEvent } = this.#deps;
    const { fee } = await fees.quote();
    const nonces = Array.from({ length: Math.min(to - from, MAX_IN_FLIGHT) }, (_, index) => from + index);
    await this.#nonces.written(store.fill(await Promise.all(nonces.map((nonce) => this.#signer.filler(nonce, fee)))));
    onEvent({ kind: "gap_filled", nonce: from, count: nonces.length });
  }

  /** Runs concurrently with the work for the own key, and must not delay it. */
  #completeOthers(): void {
    this.#others ??= this.#rollback
      .reopenOfOthers(this.#signer.address)
      .then(() => this.#takeOver.run())
      .catch((error: unknown) => this.#deps.onEvent({ kind: "failing", error }))
      .finally(() => (this.#others = undefined));
  }

  /** Records the outcomes of mined transactions, and sends the lost ones again. */
  async #checkAndResend(transactions: readonly InFlight[]): Promise<void> {
    const hashes = transactions.flatMap(hashesOf);
    const mined = await this.#deps.chain.transactions(hashes).catch((error: unknown) => {
      // Whether they are mined is open: the same bytes again are harmless, and needed if they are not.
      if (isContradiction(error)) this.#sendAgain(transactions);
      throw error;
    });
    await this.#outcomes.recordMined(minedOf(mined));
    const found = new Set(hashes.filter((_, index) => mined[index] !== undefined));
    const lost = transactions.filter((transaction) => !hashesOf(transaction).some((hash) => found.has(hash)));
    this.#sendAgain(lost);
  }

  async #replaceLowest(quote: FeeQuote): Promise<void> {
    const raised = await raisedLowest(this.#signer, this.#deps.chain, this.#inFlight.own(), quote);
    if (raised !== undefined) await this.#replace(raised);
  }

  /** Writes another version of a transaction, on disk beside those before, and sends it. */
  async #replace(version: SignedTransaction): Promise<void> {
    if (!(await this.#nonces.written(this.#deps.store.replace(version)))) return;
    this.#inFlight.add(version, performance.now());
    this.#deps.onEvent({ kind: "replaced", nonce: version.nonce, maxFee: gwei(feeOf(version).max) });
    this.#send([version]);
  }

  #sendAgain(transactions: readonly InFlight[]): void {
    for (const transaction of transactions) transaction.sentAt = performance.now();
    this.#send(transactions.map(newestOf));
  }
}

/** Returns those that are in final blocks. */
function minedOf(found: readonly (TransactionInBlock | "unfinal" | undefined)[]): TransactionInBlock[] {
  return found.filter((at) => at !== undefined && at !== "unfinal");
}
