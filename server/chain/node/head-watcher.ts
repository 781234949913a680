import type { BlockHead } from "../block.ts";
import { SealbookError } from "../../errors.ts";
import { fetchBlock, NodeBlock } from "./node-block.ts";
import type { Rpc, Subscription } from "../rpc/rpc.ts";

/** The newest block. */
export interface Head extends BlockHead {
  /** `0x` hex. */
  readonly hash: string;
}

/** Receives each new head. */
export type HeadListener = (head: Head) => void;

/** Watches for new blocks. */
export interface HeadWatcher {
  /** The newest block seen; `undefined` before the first. */
  readonly head: Head | undefined;
  /** Whether the node responded to the last query. */
  readonly reachable: boolean;
  /** @returns a function that ends the subscription */
  subscribe(listener: HeadListener): () => void;
  /** Queries the node at once instead of at the next interval. */
  poke(): void;
  start(): void;
  stop(): void;
}

/** Interval of the queries while a subscription is live. */
const WATCHDOG_MILLISECONDS = 5_000;
/** Wait before a refused subscription is requested again. */
const RESUBSCRIBE_MILLISECONDS = 60_000;

const Block = NodeBlock.pick({ number: true, timestamp: true, hash: true }).transform(
  ({ number, timestamp, hash }): Head => ({ number, time: timestamp, hash }),
);

/**
 * Subscribes to a node's new blocks. Without a live subscription it polls: when the transport carries none, the node
 * refuses it, or the connection is lost. A live subscription is checked by a query now and then. When the node has a
 * block without a notification, the subscription is renewed.
 * @param onReachable Called when the node becomes unavailable or available
 */
export function watchHead(
  rpc: Rpc,
  intervalMilliseconds: number,
  onReachable: (reachable: boolean, error: unknown) => void,
  watchdogMilliseconds = WATCHDOG_MILLISECONDS,
): HeadWatcher {
  const listeners = new Set<HeadListener>();
  let head: Head | undefined;
  let reachable = true;
  let timer: NodeJS.Timeout | undefined;
  let stopped = true;
  let looking = false;
  let lookAgain = false;
  let subscription: Subscription | undefined;
  /** Counts notifications: a response is older than a notification that arrived in the meantime. */
  let notifications = 0;
  let live: LiveSubscription | undefined;
  let subscribedAt = 0;

  const take = (seen: Head): void => {
    if (seen.number === head?.number && seen.hash === head.hash) return;
    head = seen;
    for (const listener of listeners) listener(seen);
  };

  const subscribe = (): void => {
    subscription?.end();
    live = undefined;
    subscribedAt = performance.now();
    subscription = rpc.subscribe?.("newHeads", {
      onLive() {
        live = { upTo: undefined, missing: undefined };
        // A block can have been mined before the subscription.
        void look();
      },
      onNotification(notification) {
        const seen = Block.safeParse(notification);
        // After a reorganization a notification can name an older block: the node is queried for its head.
        if (!seen.success || seen.data.number < (head?.number ?? 0)) return void look();
        notifications += 1;
        if (live !== undefined) live.upTo = seen.data.number;
        take(seen.data);
      },
      onLost() {
        live = undefined;
        void look();
      },
    });
  };

  /** Compares the queried head with the notifications. */
  const watch = (seen: Head, at: LiveSubscription): void => {
    at.upTo ??= seen.number;
    if (at.missing !== undefined && at.upTo < at.missing) return subscribe();
    // The notification may be in flight: the next query comes soon.
    at.missing = seen.number > at.upTo ? seen.number : undefined;
  };

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
      const [notificationsBefore, liveBefore] = [notifications, live];
      try {
        const seen = await newestBlock(rpc);
        if (stopped) break;
        if (!reachable) onReachable((reachable = true), undefined);
        if (notifications === notificationsBefore) take(seen);
        if (live !== undefined && live === liveBefore) watch(seen, live);
      } catch (error) {
        if (reachable && !stopped) onReachable((reachable = false), error);
      }
    } while (lookAgain && !stopped);
    looking = false;
    if (stopped) return;
    if (live === undefined && performance.now() - subscribedAt > RESUBSCRIBE_MILLISECONDS) subscribe();
    const isCovered = live !== undefined && live.missing === undefined && reachable;
    timer = setTimeout(() => void look(), isCovered ? watchdogMilliseconds : intervalMilliseconds);
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
      subscribe();
      void look();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      subscription?.end();
    },
  };
}

/** The progress of a live subscription. */
interface LiveSubscription {
  /** Number of the newest block that is covered; `undefined` before the first query. */
  upTo: number | undefined;
  /** Number of a block that the node has and did not notify of. */
  missing: number | undefined;
}

async function newestBlock(rpc: Rpc): Promise<Head> {
  const block = await fetchBlock(rpc, "latest", Block);
  if (block !== undefined) return block;
  throw new SealbookError("chain_unavailable", "the chain's node does not have a newest block");
}
