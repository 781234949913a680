import { AsyncLocalStorage } from "node:async_hooks";

/** For whom work is done. */
export interface Origin {
  /** A turn of long work begins. */
  tookTurn(): void;
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
    if (waiting.size === 0) setImmediate(continueOne);
    waiting.set(origin, [resolve]);
  } else {
    queue.push(resolve);
  }
  return promise;
}

function continueOne(): void {
  for (const [origin, queue] of waiting) {
    waiting.delete(origin);
    const resume = queue.shift();
    if (queue.length > 0) waiting.set(origin, queue);
    origin?.tookTurn();
    resume?.();
    break;
  }
  if (waiting.size > 0) setImmediate(continueOne);
}
