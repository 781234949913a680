import type { ProofJournal } from "./stores.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import type { AnchorRepair } from "./anchor-repair.ts";
import type { AnchorFollower } from "./anchor-follower.ts";

const FIRST_WAIT_MILLISECONDS = 5_000;
const LONGEST_WAIT_MILLISECONDS = 10 * 60_000;

export interface AnchorRetryDeps {
  readonly journal: Pick<ProofJournal, "anchors">;
  readonly repair: AnchorRepair;
  readonly follower: AnchorFollower;
  readonly transactions: Pick<Transactions, "wake">;
  /** Told how many anchors were given new transactions. */
  readonly onRetry: (count: number) => void;
}

/**
 * Gives anchors whose transaction failed for good a new one: at the start, and then again and again, ever more rarely
 * while it helps nothing, so that an accepted proof is anchored as soon as what was wrong is mended.
 */
export class AnchorRetry {
  readonly #deps: AnchorRetryDeps;
  #wait = FIRST_WAIT_MILLISECONDS;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: AnchorRetryDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#work = this.#retry();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#work;
  }

  async #retry(): Promise<void> {
    // A journal that cannot be asked now is asked again, like one that has failures.
    const count = await this.#mendAll().catch(() => undefined);
    if (count !== undefined && count > 0) this.#deps.onRetry(count);
    this.#wait = count === 0 ? FIRST_WAIT_MILLISECONDS : Math.min(2 * this.#wait, LONGEST_WAIT_MILLISECONDS);
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.start(), this.#wait);
  }

  async #mendAll(): Promise<number> {
    const { journal, repair, follower, transactions } = this.#deps;
    let count = 0;
    for (const { id } of await journal.anchors.failed()) {
      if (this.#stopped) break;
      for (const anchor of await repair.mend(id)) {
        follower.closed(anchor);
        count += 1;
      }
    }
    if (count > 0) transactions.wake();
    return count;
  }
}
