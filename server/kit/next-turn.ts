import { AsyncLocalStorage } from "node:async_hooks";

/** For whom work is done. */
export interface Origin {
  /**
   * A turn of its work has ended.
   * @returns milliseconds until its next turn
   */
  tookTurn(milliseconds: number): number;
}

interface Work {
  readonly origin: Origin | undefined;
  readonly pieces: (() => void)[];
}

const current = new AsyncLocalStorage<Origin | undefined>();
/** Work that waits for a turn, by its origin; the next origin first. */
const waiting = new Map<Origin | undefined, Work>();
/** When the next turn of an origin may begin. */
const pauseEnds = new WeakMap<Origin, number>();
let isScheduled = false;
/** Runs while every origin pauses. */
let timer: NodeJS.Timeout | undefined;

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
  const work = waiting.get(origin) ?? { origin, pieces: [] };
  waiting.set(origin, work);
  work.pieces.push(resolve);
  scheduleTurn();
  return promise;
}

function scheduleTurn(): void {
  if (isScheduled) return;
  isScheduled = true;
  clearTimeout(timer);
  let running: { readonly origin: Origin | undefined; readonly start: number } | undefined;
  setImmediate(() => {
    const start = performance.now();
    const work = [...waiting.values()].find(({ origin }) => pauseEndOf(origin) <= start);
    if (work === undefined) return;
    running = { origin: work.origin, start };
    waiting.delete(work.origin);
    const resume = work.pieces.shift();
    if (work.pieces.length > 0) waiting.set(work.origin, work);
    resume?.();
  });
  // Follows the other one directly, after the work that it resumed.
  setImmediate(() => {
    isScheduled = false;
    if (running?.origin !== undefined) {
      const now = performance.now();
      pauseEnds.set(running.origin, now + running.origin.tookTurn(now - running.start));
    }
    if (waiting.size === 0) return;
    if (running !== undefined) return scheduleTurn();
    const end = Math.min(...[...waiting.keys()].map(pauseEndOf));
    timer = setTimeout(scheduleTurn, end - performance.now()).unref();
  });
}

function pauseEndOf(origin: Origin | undefined): number {
  return (origin && pauseEnds.get(origin)) ?? 0;
}
