import type { BlockHead } from "../block.ts";
import { SealbookError } from "../../errors.ts";
import { fetchBlock, NodeBlock } from "./block.ts";
import type { Rpc, Subscription } from "../rpc/rpc.ts";

/** The newest block. */
export interface Head extends BlockHead {
  /** `0x` hex. */
  readonly hash: string;
}

/** Told the newest block, each time it is another one. */
export type HeadListener = (head: Head) => void;

/** Watches for new blocks. */
export interface HeadWatcher {
  /** The newest block seen; `undefined` before the first. */
  readonly head: Head | undefined;
  /** Whether the node answered the last question. */
  readonly reachable: boolean;
  /** @returns a function that ends the subscription */
  subscribe(listener: HeadListener): () => void;
  /** Looks at once instead of at the next interval. */
  poke(): void;
  start(): void;
  stop(): void;
}

/** How often a node is asked that tells of its blocks itself. */
const WATCHDOG_MILLISECONDS = 5_000;
/** How soon a node that refused is asked again to tell. */
const ASK_AGAIN_MILLISECONDS = 60_000;

const Block = NodeBlock.pick({ number: true, timestamp: true, hash: true }).transform(
  ({ number, timestamp, hash }): Head => ({ number, time: timestamp, hash }),
);

/**
 * Has a node tell of its new blocks, and asks for the newest one at an interval where it does not: when the transport
 * carries no subscriptions, the node refuses them, or the connection is lost. A node that tells is still asked now and
 * then; when it has a block that it does not tell of, it is not believed to tell any more and is subscribed to anew.
 * @param onReachable told when the node stops or starts to answer
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
  let again = false;
  let subscription: Subscription | undefined;
  /** Counts what was told, to know whether an answer is older. */
  let notices = 0;
  let telling: Telling | undefined;
  let askedAt = 0;

  const take = (seen: Head): void => {
    if (seen.number === head?.number && seen.hash === head.hash) return;
    head = seen;
    for (const listener of listeners) listener(seen);
  };

  const subscribe = (): void => {
    subscription?.end();
    telling = undefined;
    askedAt = Date.now();
    subscription = rpc.subscribe?.("newHeads", {
      onLive() {
        telling = { upTo: undefined, missing: undefined };
        // For the blocks of the time in which nobody told.
        void look();
      },
      onNotification(notice) {
        const told = Block.safeParse(notice);
        // After a re-organisation a block may come before the newest one: the node knows which is.
        if (!told.success || told.data.number < (head?.number ?? 0)) return void look();
        notices += 1;
        if (telling !== undefined) telling.upTo = told.data.number;
        take(told.data);
      },
      onLost() {
        telling = undefined;
        void look();
      },
    });
  };

  /** Compares what the node answered with what it told. */
  const watch = (seen: Head, at: Telling): void => {
    at.upTo ??= seen.number;
    if (at.missing !== undefined && at.upTo < at.missing) return subscribe();
    // It may be on its way: it is looked at again soon.
    at.missing = seen.number > at.upTo ? seen.number : undefined;
  };

  const look = async (): Promise<void> => {
    if (stopped) return;
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    clearTimeout(timer);
    do {
      again = false;
      const [noticesBefore, tellingBefore] = [notices, telling];
      try {
        const seen = await newestBlock(rpc);
        if (stopped) break;
        if (!reachable) onReachable((reachable = true), undefined);
        if (notices === noticesBefore) take(seen);
        if (telling !== undefined && telling === tellingBefore) watch(seen, telling);
      } catch (error) {
        if (reachable && !stopped) onReachable((reachable = false), error);
      }
    } while (again && !stopped);
    looking = false;
    if (stopped) return;
    if (telling === undefined && Date.now() - askedAt > ASK_AGAIN_MILLISECONDS) subscribe();
    const isTold = telling !== undefined && telling.missing === undefined && reachable;
    timer = setTimeout(() => void look(), isTold ? watchdogMilliseconds : intervalMilliseconds);
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

/** What a subscription has told. */
interface Telling {
  /** Number of the newest block of which it need not, or did, tell; `undefined` until it was asked for. */
  upTo: number | undefined;
  /** Number of a block that the node has and did not tell of. */
  missing: number | undefined;
}

async function newestBlock(rpc: Rpc): Promise<Head> {
  const block = await fetchBlock(rpc, "latest", Block);
  if (block !== undefined) return block;
  throw new SealbookError("chain_unavailable", "the chain's node does not have a newest block");
}
