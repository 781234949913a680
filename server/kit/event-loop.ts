import { setImmediate } from "node:timers/promises";

/** Lets the event loop serve others between two pieces of long work. */
export function yieldToEventLoop(): Promise<void> {
  return setImmediate();
}
