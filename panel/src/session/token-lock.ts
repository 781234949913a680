/** Keeps what uses the session's token and what replaces it apart. */
export interface TokenLock {
  /** Runs while the token stays as it is; many can at once. */
  use<T>(act: () => Promise<T>): Promise<T>;
  /** Runs alone. */
  replace<T>(act: () => Promise<T>): Promise<T>;
}

const NAME = "sealbook.token";

/** Over all tabs of this browser; browsers give a page that came without TLS from elsewhere no such locks. */
export const tabsHaveLocks = "locks" in navigator;

/** The lock of all tabs. A tab that is closed gives it back. */
export function lockOfTabs(): TokenLock {
  return {
    use: async (act) => navigator.locks.request(NAME, { mode: "shared" }, () => act()),
    replace: async (act) => navigator.locks.request(NAME, () => act()),
  };
}

/** A lock within this page. */
export function lockOfPage(): TokenLock {
  const users = new Set<Promise<unknown>>();
  let replacing: Promise<unknown> = Promise.resolve();
  return {
    async use(act) {
      // While one was waited for, the next may have begun.
      for (let seen; seen !== replacing; await seen) seen = replacing;
      const using = act();
      const settled = using.catch(() => undefined);
      users.add(settled);
      void settled.then(() => users.delete(settled));
      return using;
    },
    replace(act) {
      const before = replacing;
      const mine = before.then(() => Promise.all(users)).then(act);
      replacing = mine.catch(() => undefined);
      return mine;
    },
  };
}
