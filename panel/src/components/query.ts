import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** State of a query to the server. */
export type QueryState<T> =
  | { readonly state: "loading" }
  | { readonly state: "loaded"; readonly value: T }
  | { readonly state: "missing" }
  | { readonly state: "failed"; readonly error: unknown };

/** A query, its current state, and a function that repeats it. */
export interface Query<T> {
  readonly state: Signal<QueryState<T>>;
  readonly retry: () => void;
}

/**
 * Queries on the first render, and when `key` changes.
 * @param everyMilliseconds Repeats the query while the page is visible; the previous result is shown meanwhile
 */
export function useQuery<T>(fetch: () => Promise<T | undefined>, key: string, everyMilliseconds?: number): Query<T> {
  const state = useSignal<QueryState<T>>({ state: "loading" });
  const attempt = useSignal(0);
  useEffect(() => {
    let isMounted = true;
    const update = async (): Promise<void> => {
      const result = await stateOf(fetch);
      if (isMounted) state.value = result;
    };
    state.value = { state: "loading" };
    void update();
    const timer =
      everyMilliseconds === undefined
        ? undefined
        : setInterval(() => document.hidden || void update(), everyMilliseconds);
    return () => {
      isMounted = false;
      clearInterval(timer);
    };
  }, [key, attempt.value]);
  return { state, retry: () => (attempt.value += 1) };
}

async function stateOf<T>(fetch: () => Promise<T | undefined>): Promise<QueryState<T>> {
  try {
    const value = await fetch();
    return value === undefined ? { state: "missing" } : { state: "loaded", value };
  } catch (error) {
    return { state: "failed", error };
  }
}
