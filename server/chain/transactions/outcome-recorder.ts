import { Waiters } from "../../kit/waiters.ts";
import type { ConfirmedAnchor } from "../contracts/anchors.ts";
import { follows, isWhole, type VerifiedHeader } from "../evidence/verified-block.ts";
import type { TransactionInBlock } from "../evidence/verified-chain.ts";
import type { Address, TransactionOutcome } from "../transaction.ts";
import type { CommitSigner } from "./commit-signer.ts";
import type { InFlightTransactions } from "./in-flight.ts";
import { finalOutcomeOf, type OutcomeRules } from "./final-outcome.ts";
import type { FinalOutcome, OutcomeListener, TransactionStore } from "./types.ts";

/** Number of blocks that are read together. */
export const BLOCKS_AT_ONCE = 32;

/** Events of outcomes, for logs and alerts. */
export type OutcomeEvent =
  | { readonly kind: "reverted"; readonly id: number; readonly reason: string }
  | { readonly kind: "other_content"; readonly id: number };

/** Whether also blocks are read as a whole that have no log of the relayer's contracts. */
type Reads = "whole blocks" | "blocks with logs";

interface RecordedBlocks {
  readonly last: number;
  readonly hasUnread: boolean;
}

export interface OutcomeRecorderDeps extends OutcomeRules {
  readonly store: Pick<TransactionStore, "recordOutcomes" | "outcome">;
  /** The relayer's contracts: blocks without a log of them are not read as a whole. */
  readonly contracts: readonly Address[];
  readonly inFlight: InFlightTransactions;
  readonly nonces: Pick<CommitSigner, "written">;
  readonly onEvent: (event: OutcomeEvent) => void;
}

/** Records the outcomes of mined transactions, and hands them to who waits for them. */
export class OutcomeRecorder {
  readonly #deps: OutcomeRecorderDeps;
  readonly #waiters = new Waiters<number, TransactionOutcome>();
  readonly #listeners = new Set<OutcomeListener>();
  /** Transactions whose outcome may be on disk, though its write has failed. */
  readonly #uncertain = new Set<number>();
  /** Hash of the block that was read last, when it is of the journal's chain. */
  #readLast: Uint8Array | undefined;

  constructor(deps: OutcomeRecorderDeps) {
    this.#deps = deps;
  }

  /** Returns an outcome as soon as there is one; `pending` when there is none after the wait. */
  async outcome(id: number, waitMilliseconds: number): Promise<TransactionOutcome> {
    const { store } = this.#deps;
    const wait = this.#waiters.begin(id, waitMilliseconds);
    try {
      const known = await store.outcome(id);
      if (known.state !== "pending" || waitMilliseconds <= 0) return known;
      return (await wait.value) ?? (await store.outcome(id));
    } finally {
      wait.end();
    }
  }

  /** Ends every wait: a transaction without an outcome is pending. */
  release(): void {
    this.#waiters.release();
  }

  onOutcome(listener: OutcomeListener): void {
    this.#listeners.add(listener);
  }

  /** Publishes outcomes that are on disk. */
  publish(
    outcomes: readonly (readonly [id: number, outcome: TransactionOutcome])[],
    anchors: readonly ConfirmedAnchor[] = [],
  ): void {
    for (const [id, outcome] of outcomes) this.#waiters.wake(id, outcome);
    for (const listener of this.#listeners) listener(outcomes, anchors);
  }

  /** Publishes outcomes that are on disk though their write has failed. */
  async publishUncertain(): Promise<void> {
    for (const id of this.#uncertain) {
      const outcome = await this.#deps.store.outcome(id).catch(() => undefined);
      if (outcome === undefined || outcome.state === "pending") continue;
      this.#uncertain.delete(id);
      this.publish([[id, outcome]]);
    }
  }

  /** Writes outcomes, which are published later when the write fails though they are on disk. */
  async write<T>(ids: readonly number[], write: () => Promise<T>): Promise<T> {
    for (const id of ids) this.#uncertain.add(id);
    const written = await this.#deps.nonces.written(write());
    for (const id of ids) this.#uncertain.delete(id);
    return written;
  }

  /**
   * Records what a range of blocks has brought.
   * @returns the last recorded block, before `to` when the node lacks one, which is possible behind a load balancer;
   *   and whether some have transactions that were not read
   */
  async recordBlocks(from: number, to: number, reads: Reads): Promise<RecordedBlocks> {
    let hasUnread = false;
    for (let first = from; first <= to; first += BLOCKS_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(BLOCKS_AT_ONCE, to - first + 1) }, (_, index) => first + index);
      const blocks = await Promise.all(numbers.map((number) => this.#read(number, reads)));
      const lacking = blocks.indexOf(undefined);
      const present = (lacking === -1 ? blocks : blocks.slice(0, lacking)).filter((block) => block !== undefined);
      const isNext = present.every((block, index) =>
        follows(block, index === 0 ? this.#readLast : present[index - 1]?.reference.hash),
      );
      const mined = present
        .filter(isWhole)
        .flatMap((block) => block.transactions.map((transaction, index) => ({ block, index, transaction })));
      hasUnread ||= present.some((block) => block.hasTransactions && !isWhole(block));
      const isKnown = await this.recordMined(mined, present, isNext);
      if (isKnown) this.#readLast = present.at(-1)?.reference.hash ?? this.#readLast;
      if (lacking !== -1) return { last: first + lacking - 1, hasUnread };
    }
    return { last: Math.max(to, from - 1), hasUnread };
  }

  #read(number: number, reads: Reads): Promise<VerifiedHeader | undefined> {
    const { chain, contracts } = this.#deps;
    return reads === "whole blocks" ? chain.block(number) : chain.blockWithLogsOf(contracts, number);
  }

  /**
   * Records the outcomes of transactions in flight.
   * @param blocks Blocks that were read, one after the other
   * @param isNext Whether the blocks follow one of the journal's chain
   * @returns whether they are known to be of the journal's chain
   */
  async recordMined(
    mined: readonly TransactionInBlock[],
    blocks: readonly VerifiedHeader[] = [],
    isNext = false,
  ): Promise<boolean> {
    const { chain, inFlight } = this.#deps;
    const outcomes: FinalOutcome[] = [];
    for (const at of mined) {
      const transaction = inFlight.find(at.transaction.hash);
      const outcome = transaction && (await finalOutcomeOf(this.#deps, transaction, at));
      if (outcome !== undefined) outcomes.push(outcome);
    }
    if (outcomes.length === 0) return isNext;
    if (!isNext) await chain.rpc.identify?.();
    await this.record(outcomes, blocks);
    return true;
  }

  async record(outcomes: readonly FinalOutcome[], blocks: readonly VerifiedHeader[] = []): Promise<void> {
    const { store, inFlight, onEvent } = this.#deps;
    const ids = outcomes.map(({ id }) => id);
    const { confirmed, others } = await this.write(ids, () => store.recordOutcomes(outcomes, blocks));
    for (const id of ids) inFlight.delete(id);
    for (const { id, state, reason } of outcomes)
      if (state === "reverted") onEvent({ kind: "reverted", id, reason: reason ?? "" });
    this.publish(
      outcomes.map((each) => [each.id, outcomeOf(each)]),
      confirmed,
    );
    for (const id of others) onEvent({ kind: "other_content", id });
  }
}

function outcomeOf({ state, hash, block, reason = "reverted" }: FinalOutcome): TransactionOutcome {
  return state === "confirmed" ? { state, hash, block } : { state, reason, block };
}
