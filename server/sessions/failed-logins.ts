import { SealbookError } from "../errors.ts";
import type { SessionEvents } from "./events.ts";

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
interface FailureTrackerOptions {
  /** Failures within a minute that lock a key out. */
  readonly most: number;
  readonly store: FailureStore;
  /** Current time in Unix milliseconds. */
  readonly clock?: () => number;
}

/** Whether a key may try. */
interface Allowance {
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

/**
 * Runs an attempt with a key. Only failed attempts count, but attempts in flight count as failed until they end, so
 * that concurrent attempts cannot exceed the limit: further attempts wait for those in flight.
 * @throws SealbookError `too_many_requests` while the key is locked out, with the remaining time
 */
export type AttemptLimit = <T>(key: string, attempt: () => Promise<T>) => Promise<T>;

/**
 * @param what Name of the attempts in the error message
 * @param forgives Whether a successful attempt clears the failures of its key
 */
export function attemptLimit(
  failures: FailureTracker,
  { what, forgives }: { readonly what: string; readonly forgives: boolean },
  telemetry: Pick<SessionEvents, "loginsLockedOut" | "loginBlocked">,
): AttemptLimit {
  /** Attempts of each key in the order of their arrival, waiting or in flight. */
  const attempts = new Map<string, Set<Promise<void>>>();

  /** Waits until an attempt may begin. */
  const begin = async (key: string, all: Set<Promise<void>>, mine: Promise<void>): Promise<void> => {
    for (;;) {
      // Those that end while the failures are read count in both places, none in neither.
      const earlier = [...all].slice(0, [...all].indexOf(mine));
      const { left, lockedFor } = await failures.allowanceOf(key);
      if (lockedFor > 0) {
        telemetry.loginBlocked();
        throw new SealbookError("too_many_requests", `too many ${what}; try again later`, {
          retryAfterSeconds: Math.ceil(lockedFor / 1000),
        });
      }
      if (earlier.length < left) return;
      await Promise.race(earlier);
    }
  };

  const count = async (key: string, error: unknown): Promise<void> => {
    if (!(error instanceof SealbookError && error.code === "login_refused")) return;
    const { lockedFor } = await failures.add(key);
    if (lockedFor > 0) telemetry.loginsLockedOut(key, Math.ceil(lockedFor / 1000));
  };

  return async (key, attempt) => {
    const { promise: mine, resolve: end } = Promise.withResolvers<void>();
    const all = attempts.get(key) ?? new Set();
    attempts.set(key, all.add(mine));
    try {
      await begin(key, all, mine);
      const result = await attempt().catch(async (error: unknown) => {
        await count(key, error);
        throw error;
      });
      if (forgives) await failures.forgive(key);
      return result;
    } finally {
      all.delete(mine);
      if (all.size === 0) attempts.delete(key);
      end();
    }
  };
}
