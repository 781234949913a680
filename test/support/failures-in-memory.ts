import type { Failures, FailureStore } from "../../server/sessions/failed-logins.ts";

/** A store of failures that needs no database. */
export function failuresInMemory(): FailureStore {
  const byKey = new Map<string, Failures>();
  return {
    find: async (key) => byKey.get(key),
    async change(key, change) {
      const failures = change(byKey.get(key));
      byKey.set(key, failures);
      return failures;
    },
    delete: async (key) => void byKey.delete(key),
  };
}
