import { SealbookError } from "../errors.ts";
import type { FailureTracker } from "./failure-tracker.ts";

/**
 * Runs an attempt with a key. Only failed attempts count, but attempts in flight count as failed until they end, so
 * that concurrent attempts cannot exceed the limit: further attempts wait for those in flight.
 * @throws SealbookError `too_many_requests` while the key is locked out, with the remaining time
 */
export type AttemptLimit = <T>(key: string, attempt: () => Promise<T>) => Promise<T>;

/** Options of an {@link AttemptLimit}. */
export interface AttemptLimitOptions {
  /** Counts the failures. */
  readonly failures: FailureTracker;
  /** Name of the attempts in the error message. */
  readonly what: string;
  /** Returns whether an error counts as a failure. */
  readonly isFailure: (error: unknown) => boolean;
  /** Whether a successful attempt clears the failures of its key. */
  readonly forgives: boolean;
  /** Called when a key is locked out, with the duration. */
  readonly onLockOut?: (key: string, seconds: number) => void;
  /** Called for every attempt rejected by a lock-out. */
  readonly onRefused?: () => void;
}

export function attemptLimit({
  failures,
  what,
  isFailure,
  forgives,
  onLockOut,
  onRefused,
}: AttemptLimitOptions): AttemptLimit {
  /** Attempts of each key in the order of their arrival, waiting or in flight. */
  const attempts = new Map<string, Set<Promise<void>>>();

  /** Waits until an attempt may begin. */
  const begin = async (key: string, all: Set<Promise<void>>, mine: Promise<void>): Promise<void> => {
    for (;;) {
      // Those that end while the failures are read count in both places, none in neither.
      const earlier = [...all].slice(0, [...all].indexOf(mine));
      const { left, lockedFor } = await failures.allowanceOf(key);
      if (lockedFor > 0) {
        onRefused?.();
        throw new SealbookError("too_many_requests", `too many ${what}; try again later`, {
          retryAfterSeconds: Math.ceil(lockedFor / 1000),
        });
      }
      if (earlier.length < left) return;
      await Promise.race(earlier);
    }
  };

  const count = async (key: string, error: unknown): Promise<void> => {
    if (!isFailure(error)) return;
    const { lockedFor } = await failures.add(key);
    if (lockedFor > 0) onLockOut?.(key, Math.ceil(lockedFor / 1000));
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
