import type { Rpc } from "./rpc/rpc.ts";

/** Told the number of the newest block, each time it changes. */
export type HeadListener = (blockNumber: number) => void;

/** Watches for new blocks. */
export interface HeadWatcher {
  /** Number of the newest block seen; `undefined` before the first. */
  readonly head: number | undefined;
  /** Whether the node answered the last question. */
  readonly reachable: boolean;
  /** @returns a function that ends the subscription */
  subscribe(listener: HeadListener): () => void;
  /** Looks at once instead of at the next interval. */
  poke(): void;
  start(): void;
  stop(): void;
}

/**
 * Asks a node for its newest block at an interval.
 * @param onReachable told when the node stops or starts to answer
 */
export function watchHead(
  rpc: Rpc,
  intervalMilliseconds: number,
  onReachable: (reachable: boolean, error: unknown) => void,
): HeadWatcher {
  const listeners = new Set<HeadListener>();
  let head: number | undefined;
  let reachable = true;
  let timer: NodeJS.Timeout | undefined;
  let stopped = true;
  let looking = false;
  let again = false;

  const look = async (): Promise<void> => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    clearTimeout(timer);
    do {
      again = false;
      try {
        const seen = Number(await rpc.call("eth_blockNumber", []));
        if (stopped) break;
        if (!reachable) onReachable((reachable = true), undefined);
        if (seen !== head) {
          head = seen;
          for (const listener of listeners) listener(seen);
        }
      } catch (error) {
        if (reachable && !stopped) onReachable((reachable = false), error);
      }
    } while (again && !stopped);
    looking = false;
    if (!stopped) timer = setTimeout(() => void look(), intervalMilliseconds);
  };

  return {
    get head() {
      return head;
    },
    get reachable() {
      return reachable;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    poke: () => void look(),
    start() {
      stopped = false;
      void look();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
