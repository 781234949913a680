/** Separates calls with the session's token from its replacement. */
export interface TokenLock {
  /** Runs while the token is unchanged; concurrent uses are allowed. */
  use<T>(act: () => Promise<T>): Promise<T>;
  /** Runs exclusively. */
  replace<T>(act: () => Promise<T>): Promise<T>;
}

const NAME = "sealbook.token";

/** Locks across all tabs of this browser; browsers provide them only on pages with TLS or from localhost. */
export const tabsHaveLocks = "locks" in navigator;

/** The lock of all tabs. Closing a tab releases it. */
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
      // Another replacement may have started during the wait.
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
