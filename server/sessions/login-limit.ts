import type { Address } from "../chain/transaction.ts";
import type { KnownSources } from "./login-store.ts";
import type { SessionEvents } from "./events.ts";
import { attemptLimit, type FailureStore, FailureTracker } from "./failed-logins.ts";
import type { Clock } from "../kit/time.ts";

/** Limits of failed logins. */
export interface LoginLimitOptions {
  /** Failures per minute that lock a login. */
  readonly perAddress: number;
  /** Failures per minute that lock a network address. */
  readonly perSource: number;
  /** Shared by all relayers on the database. */
  readonly failures: FailureStore;
  readonly knownSources: KnownSources;
  /** Milliseconds since 1970. */
  readonly clock: Clock;
  readonly telemetry: Pick<SessionEvents, "loginsLockedOut" | "loginBlocked">;
}

/**
 * Runs a login.
 * @param login The account's address
 * @param source The caller's source
 * @throws SealbookError `too_many_requests` while either is locked out, before the password is checked
 */
export type LoginLimit = <T>(login: Address, source: string, attempt: () => Promise<T>) => Promise<T>;

/**
 * Locks logins and network addresses with too many failures, for increasing times. A successful login clears the
 * failures of the login but not those of its network address; otherwise one valid account would allow unlimited
 * attempts on others.
 *
 * Account addresses are public, so deliberate failures could lock an account's holder out. Failures from a network
 * address that an account has logged in from are therefore counted separately from failures from other addresses.
 */
export function loginLimit(options: LoginLimitOptions): LoginLimit {
  const { knownSources, clock, failures: store, telemetry } = options;
  const byLogin = attemptLimit(
    new FailureTracker({ most: options.perAddress, store, clock }),
    { what: "failed logins for this address", forgives: true },
    telemetry,
  );
  const bySource = attemptLimit(
    new FailureTracker({ most: options.perSource, store, clock }),
    { what: "failed logins from this network address", forgives: false },
    telemetry,
  );

  return async (login, source, attempt) => {
    const isKnown = await knownSources.has(login, source);
    return bySource(source, () =>
      byLogin(isKnown ? `${login} ${source}` : login, async () => {
        const result = await attempt();
        await knownSources.add(login, source, clock());
        return result;
      }),
    );
  };
}
