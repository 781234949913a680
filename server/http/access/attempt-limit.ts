import { SealbookError } from "../../errors.ts";
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
  failures: tracker,
  what,
  isFailure,
  forgives,
  onLockOut,
  onRefused,
}: AttemptLimitOptions): AttemptLimit {
  const inFlight = new Map<string, Set<Promise<void>>>();

  /** Waits until an attempt may begin, and counts it as in flight. */
  const begin = async (key: string, ended: Promise<void>): Promise<void> => {
    for (;;) {
      const locked = tracker.lockedFor(key);
      if (locked > 0) {
        onRefused?.();
        throw new SealbookError("too_many_requests", `too many ${what}; try again later`, {
          retryAfterSeconds: Math.ceil(locked / 1000),
        });
      }
      const others = inFlight.get(key) ?? new Set();
      if (others.size < tracker.left(key)) {
        inFlight.set(key, others.add(ended));
        return;
      }
      await Promise.race(others);
    }
  };

  return async (key, attempt) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    await begin(key, ended);
    try {
      const result = await attempt();
      if (forgives) tracker.forgive(key);
      return result;
    } catch (error) {
      if (isFailure(error)) {
        tracker.add(key);
        const locked = tracker.lockedFor(key);
        if (locked > 0) onLockOut?.(key, Math.ceil(locked / 1000));
      }
      throw error;
    } finally {
      const others = inFlight.get(key);
      others?.delete(ended);
      if (others?.size === 0) inFlight.delete(key);
      end();
    }
  };
}
