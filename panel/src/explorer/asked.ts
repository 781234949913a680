import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** State of a query to the server. */
export type Asked<T> =
  | { readonly state: "asking" }
  | { readonly state: "there"; readonly value: T }
  | { readonly state: "missing" }
  | { readonly state: "failed"; readonly error: unknown };

/** A query, its current result, and a function that repeats it. */
export interface Question<T> {
  readonly asked: Signal<Asked<T>>;
  readonly again: () => void;
}

/**
 * Queries on the first render, and when `key` changes.
 * @param everyMilliseconds Repeats the query while the page is visible; the previous result is shown meanwhile
 */
export function useAsked<T>(ask: () => Promise<T | undefined>, key: string, everyMilliseconds?: number): Question<T> {
  const asked = useSignal<Asked<T>>({ state: "asking" });
  const round = useSignal(0);
  useEffect(() => {
    let wanted = true;
    const once = async (): Promise<void> => {
      const answer = await answerOf(ask);
      if (wanted) asked.value = answer;
    };
    asked.value = { state: "asking" };
    void once();
    const timer =
      everyMilliseconds === undefined
        ? undefined
        : setInterval(() => document.hidden || void once(), everyMilliseconds);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [key, round.value]);
  return { asked, again: () => (round.value += 1) };
}

async function answerOf<T>(ask: () => Promise<T | undefined>): Promise<Asked<T>> {
  try {
    const value = await ask();
    return value === undefined ? { state: "missing" } : { state: "there", value };
  } catch (error) {
    return { state: "failed", error };
  }
}
