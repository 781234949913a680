import type { BlockHead } from "../block.ts";
import { fetchNewestBlock, NodeBlock } from "./node-block.ts";
import type { Rpc } from "../rpc/rpc.ts";

/** A node responds within milliseconds; one that takes longer does not respond to readers of a page. */
const SILENT_MILLISECONDS = 2_000;

/** The newest block. */
export interface Head extends BlockHead {
  /** `0x` hex. */
  readonly hash: string;
  readonly parentHash: string;
}

/** Watches for new blocks. */
export interface HeadWatcher {
  /** The newest block seen; `undefined` before the first. */
  readonly head: Head | undefined;
  /** Why the last query failed; `undefined` when the node responded. */
  readonly failure: unknown;
  /** Whether the node has not responded to the last query, or not yet to one for seconds. */
  readonly isSilent: boolean;
  /** @returns a function that ends the subscription */
  subscribe(listener: (head: Head) => void): () => void;
  /** Queries the node at once instead of at the next interval. */
  poke(): void;
  start(): void;
  stop(): void;
}

const Block = NodeBlock.pick({ number: true, timestamp: true, hash: true, parentHash: true }).transform(
  ({ timestamp, ...rest }): Head => ({ ...rest, time: timestamp }),
);

/**
 * Polls a node for its newest block. When that does not follow the one before, the node's chain is identified again.
 * @param onChange Called with the failure when the node becomes unavailable, and without when it is available again
 */
export function watchHead(
  rpc: Pick<Rpc, "call" | "identify">,
  intervalMilliseconds: number,
  onChange: (failure: unknown) => void,
): HeadWatcher {
  const listeners = new Set<(head: Head) => void>();
  let head: Head | undefined;
  let failure: unknown;
  let timer: NodeJS.Timeout | undefined;
  let stopped = true;
  let looking = false;
  let lookAgain = false;
  /** When the query in flight began. */
  let askedAt: number | undefined;

  const look = async (): Promise<void> => {
    if (stopped) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = true;
    clearTimeout(timer);
    do {
      lookAgain = false;
      askedAt = performance.now();
      try {
        const seen = await fetchNewestBlock(rpc, Block);
        const isKnown = seen.hash === head?.hash;
        if (!isKnown && seen.parentHash !== head?.hash) await rpc.identify?.();
        if (stopped) break;
        if (failure !== undefined) onChange((failure = undefined));
        if (isKnown) continue;
        head = seen;
        for (const listener of listeners) listener(seen);
      } catch (error) {
        const isFirst = failure === undefined;
        failure = error;
        if (isFirst && !stopped) onChange(failure);
      }
    } while (lookAgain && !stopped);
    looking = false;
    askedAt = undefined;
    if (!stopped) timer = setTimeout(() => void look(), intervalMilliseconds);
  };

  return {
    get head() {
      return head;
    },
    get failure() {
      return failure;
    },
    get isSilent() {
      return failure !== undefined || (askedAt !== undefined && performance.now() - askedAt > SILENT_MILLISECONDS);
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
