/** Time in which failures of one key count together. */
const WINDOW_MILLISECONDS = 60_000;
/** Duration of the first lock-out; each further one takes twice as long. */
const FIRST_LOCK_OUT_MILLISECONDS = 60_000;
const LONGEST_LOCK_OUT_MILLISECONDS = 3_600_000;
/**
 * Time without failures after which the lock-outs of a key are cleared: waiting for this permits fewer attempts than
 * continuing.
 */
const FORGET_AFTER_MILLISECONDS = 86_400_000;

/** The failures of a key. Times are Unix milliseconds. */
export interface Failures {
  /** Failures within the window. */
  readonly count: number;
  readonly windowEnds: number;
  readonly lockOuts: number;
  readonly lockedUntil: number;
}

/** Stores failures, for all relayers on one database. */
export interface FailureStore {
  find(key: string): Promise<Failures | undefined>;
  /**
   * Changes the failures of a key, one caller at a time.
   * @param change Gets the failures before
   * @returns its result
   */
  change(key: string, change: (before: Failures | undefined) => Failures): Promise<Failures>;
  delete(key: string): Promise<void>;
}

/** Options of a {@link FailureTracker}. */
export interface FailureTrackerOptions {
  /** Failures within a minute that lock a key out. */
  readonly most: number;
  readonly store: FailureStore;
  /** Current time in Unix milliseconds. */
  readonly clock?: () => number;
}

/** What a key may do. */
export interface Allowance {
  /** Failures left until it is locked out. */
  readonly left: number;
  /** Remaining milliseconds of its lock-out; 0 when it is not locked out. */
  readonly lockedFor: number;
}

/**
 * Counts failures by key and locks keys out for increasing times: one minute, two, four, up to an hour. The store
 * decides: without it nothing is counted and nothing is permitted.
 */
export class FailureTracker {
  readonly #most: number;
  readonly #store: FailureStore;
  readonly #clock: () => number;

  constructor({ most, store, clock = Date.now }: FailureTrackerOptions) {
    this.#most = most;
    this.#store = store;
    this.#clock = clock;
  }

  async allowanceOf(key: string): Promise<Allowance> {
    return this.#allowance(await this.#store.find(key));
  }

  /** Adds a failure. */
  async add(key: string): Promise<Allowance> {
    return this.#allowance(await this.#store.change(key, (before) => this.#next(before)));
  }

  /** Clears all failures of a key. */
  forgive(key: string): Promise<void> {
    return this.#store.delete(key);
  }

  #allowance(failures: Failures | undefined): Allowance {
    const now = this.#clock();
    // A clock that was set back must not prolong a lock-out.
    const lockedFor = Math.min(LONGEST_LOCK_OUT_MILLISECONDS, Math.max(0, (failures?.lockedUntil ?? 0) - now));
    if (lockedFor > 0) return { left: 0, lockedFor };
    const count = failures === undefined || failures.windowEnds <= now ? 0 : failures.count;
    return { left: this.#most - count, lockedFor };
  }

  #next(before: Failures | undefined): Failures {
    const now = this.#clock();
    const remembered = before !== undefined && forgottenAt(before) > now ? before : undefined;
    const isWithin = remembered !== undefined && remembered.windowEnds > now;
    const count = (isWithin ? remembered.count : 0) + 1;
    const { lockOuts = 0, lockedUntil = 0 } = remembered ?? {};
    if (count < this.#most)
      return { count, windowEnds: isWithin ? remembered.windowEnds : now + WINDOW_MILLISECONDS, lockOuts, lockedUntil };
    const seconds = Math.min(LONGEST_LOCK_OUT_MILLISECONDS, FIRST_LOCK_OUT_MILLISECONDS * 2 ** lockOuts);
    return { count, windowEnds: 0, lockOuts: lockOuts + 1, lockedUntil: now + seconds };
  }
}

/** Returns the time from which failures do not count any more. */
export function forgottenAt({ lockedUntil, windowEnds }: Failures): number {
  return Math.max(lockedUntil, windowEnds) + FORGET_AFTER_MILLISECONDS;
}
