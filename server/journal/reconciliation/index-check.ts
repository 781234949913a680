import type { DivergenceTracker } from "./divergence-tracker.ts";
import type { ReconciliationStore } from "./divergence.ts";

/** Slices of the index per pass: all 256 of them take 32 passes. */
const SLICES_PER_PASS = 8;
const SLICES = 256;
/** Entries per pass whose keys are looked up. */
const ENTRIES_PER_PASS = 2_000;
const ENTRIES_PER_STEP = 500;
const SUBJECT = { kind: "index" } as const;

export interface IndexCheckDeps {
  readonly store: Pick<ReconciliationStore, "isSliceWhole" | "unindexed">;
  readonly divergences: DivergenceTracker;
}

/**
 * Checks the index of proofs: its slices against their sums, and that entries are found by each of their keys. Each
 * pass checks a part and continues where the one before ended; a full pass checks all.
 */
export class IndexCheck {
  readonly #deps: IndexCheckDeps;
  #slice = 0;
  #entry = 0;
  /** Parts that are wrong; each pass checks them again. */
  readonly #wrongSlices = new Set<number>();
  readonly #wrongSteps = new Set<number>();

  constructor(deps: IndexCheckDeps) {
    this.#deps = deps;
  }

  async run(isFull: boolean, isStopped: () => boolean): Promise<void> {
    const { divergences } = this.#deps;
    for (const slice of [...this.#wrongSlices]) await this.#checkSlice(slice);
    for (const step of [...this.#wrongSteps]) await this.#checkStep(step);
    for (let count = 0; count < (isFull ? SLICES : SLICES_PER_PASS) && !isStopped(); count += 1) {
      await this.#checkSlice(this.#slice);
      this.#slice = (this.#slice + 1) % SLICES;
    }
    if (isFull) this.#entry = 0;
    for (let count = 0; (isFull || count < ENTRIES_PER_PASS) && !isStopped(); count += ENTRIES_PER_STEP) {
      const isEnd = await this.#checkStep(this.#entry);
      this.#entry = isEnd ? 0 : this.#entry + ENTRIES_PER_STEP;
      if (isEnd) break;
    }
    const [slices, steps] = [this.#wrongSlices.size, this.#wrongSteps.size];
    if (slices + steps === 0) return divergences.resolved(SUBJECT);
    const entries = steps === 0 ? "" : `; proofs among the entries after ${[...this.#wrongSteps][0]} are not found`;
    await divergences.diverged(SUBJECT, `the index of proofs lost keys or has others: it was changed${entries}`);
  }

  async #checkSlice(slice: number): Promise<void> {
    if (await this.#deps.store.isSliceWhole(slice)) this.#wrongSlices.delete(slice);
    else this.#wrongSlices.add(slice);
  }

  /** @returns whether there are no entries after it */
  async #checkStep(after: number): Promise<boolean> {
    const { isEnd, isFound } = await this.#deps.store.unindexed(after, ENTRIES_PER_STEP).catch(unreadable);
    if (isFound) this.#wrongSteps.add(after);
    else this.#wrongSteps.delete(after);
    return isEnd;
  }
}

/** Entries that cannot be read are a finding of the check of entries. */
function unreadable(error: unknown): { readonly isEnd: boolean; readonly isFound: boolean } {
  if (error instanceof RangeError) return { isEnd: true, isFound: false };
  throw error;
}
