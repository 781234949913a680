import { AsyncLocalStorage } from "node:async_hooks";

/** For whom work is done. */
export interface Origin {
  /** A turn of its work has ended. */
  tookTurn(milliseconds: number): void;
}

const current = new AsyncLocalStorage<Origin | undefined>();
/** Work that waits for a turn, by its origin; the next origin first. */
const waiting = new Map<Origin | undefined, (() => void)[]>();

/**
 * Does work of an origin: {@link nextTurn} shares the thread among the origins.
 * @param origin `undefined` for work of the server itself that a request has caused
 */
export function onBehalfOf<Result>(origin: Origin | undefined, work: () => Result): Result {
  return current.run(origin, work);
}

/**
 * Continues in a later turn of the event loop: long work lets other requests in between. One piece of work continues in
 * each turn, however much is waiting, and the origins of work alternate.
 */
export function nextTurn(): Promise<void> {
  const origin = current.getStore();
  const { promise, resolve } = Promise.withResolvers<void>();
  const queue = waiting.get(origin);
  if (queue === undefined) {
    if (waiting.size === 0) scheduleTurn();
    waiting.set(origin, [resolve]);
  } else {
    queue.push(resolve);
  }
  return promise;
}

function scheduleTurn(): void {
  let running: { readonly origin: Origin | undefined; readonly start: number } | undefined;
  setImmediate(() => {
    for (const [origin, queue] of waiting) {
      waiting.delete(origin);
      const resume = queue.shift();
      if (queue.length > 0) waiting.set(origin, queue);
      running = { origin, start: performance.now() };
      resume?.();
      break;
    }
  });
  // Follows the other one directly, after the work that it resumed.
  setImmediate(() => {
    running?.origin?.tookTurn(performance.now() - running.start);
    if (waiting.size > 0) scheduleTurn();
  });
}
