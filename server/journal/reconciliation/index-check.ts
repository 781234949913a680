import type { DivergenceTracker } from "./divergence-tracker.ts";
import type { ReconciliationStore } from "./divergence.ts";

/** Entries per pass whose keys are looked up. */
const ENTRIES_PER_PASS = 2_000;
const ENTRIES_PER_STEP = 500;
const SUBJECT = { kind: "index" } as const;

export interface IndexCheckDeps {
  readonly store: Pick<ReconciliationStore, "unindexed">;
  readonly divergences: DivergenceTracker;
}

/**
 * Checks that proofs are found by each of their keys. Each pass checks a part and continues where the one before ended;
 * a full pass checks all.
 */
export class IndexCheck {
  readonly #deps: IndexCheckDeps;
  #entry = 0;
  /** Parts that are wrong; each pass checks them again. */
  readonly #wrong = new Set<number>();

  constructor(deps: IndexCheckDeps) {
    this.#deps = deps;
  }

  async run(isFull: boolean, isStopped: () => boolean): Promise<void> {
    const { divergences } = this.#deps;
    for (const step of [...this.#wrong]) await this.#checkStep(step);
    if (isFull) this.#entry = 0;
    for (let count = 0; (isFull || count < ENTRIES_PER_PASS) && !isStopped(); count += ENTRIES_PER_STEP) {
      const isEnd = await this.#checkStep(this.#entry);
      this.#entry = isEnd ? 0 : this.#entry + ENTRIES_PER_STEP;
      if (isEnd) break;
    }
    const [first] = this.#wrong;
    if (first === undefined) return divergences.resolved(SUBJECT);
    await divergences.diverged(
      SUBJECT,
      `the index of proofs lost keys: it was changed; proofs among the entries after ${first} are not found`,
    );
  }

  /** @returns whether there are no entries after it */
  async #checkStep(after: number): Promise<boolean> {
    const { isEnd, isFound } = await this.#deps.store.unindexed(after, ENTRIES_PER_STEP);
    if (isFound) this.#wrong.add(after);
    else this.#wrong.delete(after);
    return isEnd;
  }
}
