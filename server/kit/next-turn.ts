import { setImmediate } from "node:timers/promises";

/** Continues in the next turn of the event loop: long work lets other requests in between. */
export function nextTurn(): Promise<void> {
  return setImmediate();
}
