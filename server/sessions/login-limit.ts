import { LRUCache } from "lru-cache";
import type { SessionEvents } from "./events.ts";
import { SealbookError } from "../errors.ts";
import { type AttemptLimit, attemptLimit } from "../http/access/attempt-limit.ts";
import { FailureTracker } from "../http/access/failure-tracker.ts";

/** Maximum of remembered pairs of login and network address. */
const MAX_KNOWN_PAIRS = 10_000;

/** Limits of failed logins. */
export interface LoginLimitOptions {
  /** Failures per minute that lock a login. */
  readonly perAddress: number;
  /** Failures per minute that lock a network address. */
  readonly perSource: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly telemetry: Pick<SessionEvents, "loginsLockedOut" | "loginBlocked">;
}

/**
 * Runs a login.
 * @param login The account's address
 * @param source The caller's network address
 * @throws SealbookError `too_many_requests` while either is locked out
 */
export type LoginLimit = <T>(login: string, source: string, attempt: () => Promise<T>) => Promise<T>;

/**
 * Locks logins and network addresses with too many failures, for increasing times. A successful login clears the
 * failures of the login but not those of its network address; otherwise one valid account would allow unlimited
 * attempts on others.
 *
 * Account addresses are public, so deliberate failures could lock an account's holder out. Failures from a network
 * address that an account has logged in from are therefore counted separately from failures from other addresses.
 */
export function loginLimit(options: LoginLimitOptions): LoginLimit {
  const byLogin = limit(options.perAddress, "failed logins for this address", true, options);
  const bySource = limit(options.perSource, "failed logins from this network address", false, options);
  /** Pairs of login and network address, ordered by last login. */
  const knownPairs = new LRUCache<string, true>({ max: MAX_KNOWN_PAIRS });

  return (login, source, attempt) => {
    const pair = `${login} ${source}`;
    return bySource(source, () =>
      byLogin(knownPairs.has(pair) ? pair : login, async () => {
        const result = await attempt();
        knownPairs.set(pair, true);
        return result;
      }),
    );
  };
}

function limit(most: number, what: string, forgives: boolean, { clock, telemetry }: LoginLimitOptions): AttemptLimit {
  const failures = new FailureTracker({ most, ...(clock === undefined ? {} : { clock }) });
  return attemptLimit({
    failures: failures,
    what,
    isFailure: isRefusedLogin,
    forgives,
    onLockOut: (key, seconds) => telemetry.loginsLockedOut(key, seconds),
    onRefused: () => telemetry.loginBlocked(),
  });
}

function isRefusedLogin(error: unknown): boolean {
  return error instanceof SealbookError && error.code === "login_refused";
}
