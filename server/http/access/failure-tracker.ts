import { LRUCache } from "lru-cache";

/** Time in which failures of one key count together. */
const WINDOW_MILLISECONDS = 60_000;
/** How long a key is locked out the first time; each time after that twice as long. */
const FIRST_LOCK_OUT_MILLISECONDS = 60_000;
const LONGEST_LOCK_OUT_MILLISECONDS = 3_600_000;
/** How long a key has to be quiet until its lock-outs are forgotten: waiting for that gains fewer attempts than going on. */
const FORGET_AFTER_MILLISECONDS = 86_400_000;
/** Keys that are remembered, of about 150 bytes each; past that number the one whose last failure is the oldest is forgotten. */
const MOST_KEYS = 50_000;

interface Failures {
  /** Within the window. */
  count: number;
  windowEnds: number;
  lockOuts: number;
  lockedUntil: number;
}

/** How a {@link FailureTracker} counts. */
export interface FailureBookOptions {
  /** Failures within a minute that lock a key out. */
  readonly most: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly mostKeys?: number;
}

/**
 * Counts failures by a key, and locks keys out for ever longer: one minute, two, four, up to an hour. It is kept in memory
 * only and bounded there: a restart forgets it.
 */
export class FailureTracker {
  readonly #most: number;
  readonly #clock: () => number;
  /** Ordered by the last failure: only an addition counts as a use. */
  readonly #byKey: LRUCache<string, Failures>;

  constructor({ most, clock = Date.now, mostKeys = MOST_KEYS }: FailureBookOptions) {
    this.#most = most;
    this.#clock = clock;
    this.#byKey = new LRUCache({ max: mostKeys });
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Milliseconds for which a key stays locked out; 0 when it is not. */
  lockedFor(key: string): number {
    return Math.max(0, (this.#byKey.peek(key)?.lockedUntil ?? 0) - this.#clock());
  }

  /** How often a key may fail until it is locked out. */
  left(key: string): number {
    if (this.lockedFor(key) > 0) return 0;
    const failures = this.#byKey.peek(key);
    return failures === undefined || failures.windowEnds <= this.#clock() ? this.#most : this.#most - failures.count;
  }

  add(key: string): void {
    const now = this.#clock();
    const failures = this.#remembered(key, now) ?? { count: 0, windowEnds: 0, lockOuts: 0, lockedUntil: 0 };
    if (failures.windowEnds <= now) {
      failures.count = 0;
      failures.windowEnds = now + WINDOW_MILLISECONDS;
    }
    failures.count += 1;
    if (failures.count >= this.#most) {
      failures.lockedUntil =
        now + Math.min(LONGEST_LOCK_OUT_MILLISECONDS, FIRST_LOCK_OUT_MILLISECONDS * 2 ** failures.lockOuts);
      failures.lockOuts += 1;
      failures.windowEnds = 0;
    }
    this.#byKey.set(key, failures);
  }

  /** Forgets all failures of a key. */
  forgive(key: string): void {
    this.#byKey.delete(key);
  }

  #remembered(key: string, now: number): Failures | undefined {
    const failures = this.#byKey.peek(key);
    return failures !== undefined &&
      Math.max(failures.lockedUntil, failures.windowEnds) + FORGET_AFTER_MILLISECONDS > now
      ? failures
      : undefined;
  }
}
