import { LRUCache } from "lru-cache";

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
/**
 * Maximum number of tracked keys, of about 150 bytes each; above it the key with the oldest last failure is dropped.
 */
const MOST_KEYS = 50_000;

interface Failures {
  /** Failures within the window. */
  count: number;
  windowEnds: number;
  lockOuts: number;
  lockedUntil: number;
}

/** Options of a {@link FailureTracker}. */
export interface FailureBookOptions {
  /** Failures within a minute that lock a key out. */
  readonly most: number;
  /** Current time in Unix milliseconds. */
  readonly clock?: () => number;
  readonly mostKeys?: number;
}

/**
 * Counts failures by key and locks keys out for increasing times: one minute, two, four, up to an hour. The counts are
 * in memory only, bounded in size, and lost at a restart.
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

  /** Number of tracked keys. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Returns the remaining milliseconds of a key's lock-out; 0 when it is not locked out. */
  lockedFor(key: string): number {
    return Math.max(0, (this.#byKey.peek(key)?.lockedUntil ?? 0) - this.#clock());
  }

  /** Returns the number of failures left until a key is locked out. */
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

  /** Clears all failures of a key. */
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
