import { SealbookError } from "../../errors.ts";
import type { FailureTracker } from "./failure-tracker.ts";

/**
 * Runs an attempt with a key. Only failed ones count, but attempts that are under way count as failed until they end,
 * so that many at once do not slip through: whoever comes when the rest is under way waits for them.
 * @throws SealbookError `too_many_requests` while the key is locked out, with the time after which it is not
 */
export type AttemptLimit = <T>(key: string, attempt: () => Promise<T>) => Promise<T>;

/** What an {@link AttemptLimit} goes by. */
export interface AttemptLimitOptions {
  /** Counts the failures. */
  readonly book: FailureTracker;
  /** What fails too often, for the message. */
  readonly what: string;
  /** Whether what an attempt threw counts. */
  readonly isFailure: (error: unknown) => boolean;
  /** Whether an attempt that succeeds makes its key's failures forgotten. */
  readonly forgives: boolean;
  /** Told when a key is locked out, and for how long. */
  readonly onLockOut?: (key: string, seconds: number) => void;
  /** Told of every attempt that is refused for that. */
  readonly onRefused?: () => void;
}

export function attemptLimit({
  book,
  what,
  isFailure,
  forgives,
  onLockOut,
  onRefused,
}: AttemptLimitOptions): AttemptLimit {
  const inFlight = new Map<string, Set<Promise<void>>>();

  /** Waits until an attempt may begin, and counts it as under way. */
  const begin = async (key: string, ended: Promise<void>): Promise<void> => {
    for (;;) {
      const locked = book.lockedFor(key);
      if (locked > 0) {
        onRefused?.();
        throw new SealbookError("too_many_requests", `too many ${what}; try again later`, {
          retryAfterSeconds: Math.ceil(locked / 1000),
        });
      }
      const others = inFlight.get(key) ?? new Set();
      if (others.size < book.left(key)) {
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
      if (forgives) book.forgive(key);
      return result;
    } catch (error) {
      if (isFailure(error)) {
        book.add(key);
        const locked = book.lockedFor(key);
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
