import type { SessionEvents } from "./events.ts";
import { SealbookError } from "../errors.ts";
import { type AttemptLimit, attemptLimit } from "../http/access/attempt-limit.ts";
import { FailureTracker } from "../http/access/failure-tracker.ts";

/** From where an account logged in lately: so many pairs are remembered. */
const MOST_FAMILIAR = 10_000;

/** How often logins may fail. */
export interface LoginLimitOptions {
  /** Failures a minute that lock an account's login out. */
  readonly perAddress: number;
  /** Failures a minute that lock a network address out. */
  readonly perSource: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly telemetry: Pick<SessionEvents, "loginsLockedOut" | "loginNotTried">;
}

/**
 * Runs a login.
 * @param login The account's address
 * @param source The caller's network address
 * @throws SealbookError `too_many_requests` while either is locked out
 */
export type LoginLimit = <T>(login: string, source: string, attempt: () => Promise<T>) => Promise<T>;

/**
 * Locks logins and network addresses out that fail too often, for ever longer. A login that succeeds clears the login's
 * failures. It does not clear its network address's: who has one account could try others' passwords without end.
 *
 * Everybody knows the addresses of accounts, and could keep their holders out by failing on purpose. So where an account
 * has logged in from before it has failures of its own, which others do not add to.
 */
export function loginLimit(options: LoginLimitOptions): LoginLimit {
  const ofAddresses = limit(options.perAddress, "failed logins for this address", true, options);
  const ofSources = limit(options.perSource, "failed logins from this network address", false, options);
  /** In the order of their last logins. */
  const familiar = new Set<string>();

  return (login, source, attempt) => {
    const pair = `${login} ${source}`;
    return ofSources(source, () =>
      ofAddresses(familiar.has(pair) ? pair : login, async () => {
        const result = await attempt();
        familiar.delete(pair);
        familiar.add(pair);
        const [oldest] = familiar;
        if (familiar.size > MOST_FAMILIAR && oldest !== undefined) familiar.delete(oldest);
        return result;
      }),
    );
  };
}

function limit(most: number, what: string, forgives: boolean, { clock, telemetry }: LoginLimitOptions): AttemptLimit {
  const book = new FailureTracker({ most, ...(clock === undefined ? {} : { clock }) });
  return attemptLimit({
    book,
    what,
    isFailure: isRefusedLogin,
    forgives,
    onLockOut: (key, seconds) => telemetry.loginsLockedOut(key, seconds),
    onRefused: () => telemetry.loginNotTried(),
  });
}

function isRefusedLogin(error: unknown): boolean {
  return error instanceof SealbookError && error.code === "login_refused";
}
