import type { Clock } from "../kit/time.ts";
import type { RecordedVerification, RecoveryVerification } from "./verification.ts";
import type { VerificationStore } from "./verification-store.ts";

/** Quotas and retention of comparisons. */
export interface VerificationLimits {
  readonly retentionMilliseconds: number;
  /** Documents of one caller, and of all. */
  readonly perCaller: number;
  readonly total: number;
}

/** Documents that a comparison counts as in addition to its own: many small comparisons cost as well. */
const BASE_QUOTA = 1_000;
/** Age from which an unfinished comparison counts as aborted. */
const LONGEST_MILLISECONDS = 24 * 3_600_000;

export interface VerificationRetentionDeps {
  readonly store: VerificationStore;
  readonly limits: VerificationLimits;
  readonly clock: Clock;
}

/** A comparison whose documents are stored while it runs. */
export interface RetainedVerification {
  /**
   * Stores documents.
   * @returns false when the quota is used up: the comparison is not retained
   */
  add(documentIds: readonly string[]): Promise<boolean>;
  /** Appends the result to the journal. */
  finish(verification: RecoveryVerification, signed: string | undefined): Promise<RecordedVerification>;
  /** Deletes everything that is stored of it. */
  abandon(): Promise<void>;
}

/**
 * Retains the documents of comparisons for a limited time and in limited number. A new comparison evicts the oldest
 * ones of the same caller, or those of the caller with the most documents.
 */
export class VerificationRetention {
  readonly #store: VerificationStore;
  readonly #limits: VerificationLimits;
  readonly #clock: Clock;

  constructor({ store, limits, clock }: VerificationRetentionDeps) {
    this.#store = store;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** @returns `undefined` when the quota is used up */
  async begin(id: string, caller: string): Promise<RetainedVerification | undefined> {
    const store = this.#store;
    let quota = BASE_QUOTA;
    if (!(await this.#evictFor(caller, 0, quota))) return undefined;
    await store.begin({ id, caller, startedAt: this.#clock(), quota });
    return {
      add: async (documentIds) => {
        if (!(await this.#evictFor(caller, quota, documentIds.length))) return false;
        quota += documentIds.length;
        await store.addRestored(id, documentIds);
        return true;
      },
      finish: (verification, signed) => store.finish(verification, signed),
      abandon: () => store.forget(id),
    };
  }

  /**
   * Deletes the documents of comparisons after the retention, and of those that were aborted long ago. The result
   * of a finished comparison stays in the journal.
   */
  async expire(): Promise<void> {
    const now = this.#clock();
    for (const id of await this.#store.unfinished(now - LONGEST_MILLISECONDS)) await this.#store.forget(id);
    const before = now - this.#limits.retentionMilliseconds;
    for (const id of await this.#store.finishedBefore(before)) await this.#store.release(id);
  }

  /** @param taken Quota of the running comparison, which the caller's quota includes */
  async #evictFor(caller: string, taken: number, more: number): Promise<boolean> {
    const { perCaller, total } = this.#limits;
    if (taken + more > Math.min(perCaller, total)) return false;
    for (;;) {
      const quotas = await this.#store.quotas();
      const own = quotas.find((each) => each.caller === caller)?.quota ?? 0;
      const all = quotas.reduce((sum, { quota }) => sum + quota, 0);
      const [largest] = quotas.toSorted((a, b) => b.quota - a.quota);
      const evictedCaller = own + more > perCaller ? caller : all + more > total ? largest?.caller : undefined;
      if (evictedCaller === undefined) return true;
      const oldest = await this.#store.oldest(evictedCaller);
      if (oldest === undefined) return false;
      await this.#store.release(oldest);
    }
  }
}
