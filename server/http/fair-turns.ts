import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { sourceKey } from "./access/source-key.ts";

/** Interval of the checks whether the thread keeps up. */
const TICK_MILLISECONDS = 5;
/** Delay of a check from which the thread counts as busy. */
const BUSY_MILLISECONDS = 10;
const LONGEST_PAUSE_MILLISECONDS = 500;
/**
 * Checks after which a source without requests does not count as another one any more: 5 s, but not while the thread
 * is so busy that it cannot read requests.
 */
const FORGET_CHECKS = 1_000;
/** The limit when a second source comes, before it is known whether the thread keeps up. */
const FIRST_LIMIT = 16;
const GROWTH = 1.125;
/** Maximum number of waiting requests of a source; a connection can have several. */
const MOST_WAITING = 4_096;
const RETRY_SECONDS = 1;

interface Source {
  /** Requests in progress. */
  running: number;
  /** Those that wait for their turn, the oldest first. */
  readonly waiting: Set<() => void>;
  /** Checks since its last request. */
  unseen: number;
}

/**
 * Shares the thread among the sources of requests. The requests of the only source begin at once. Of several sources,
 * each has a limited number in progress: somewhat more after every check while the thread keeps up, half as many when
 * it does not. While others have requests in progress, the one with the most then begins none for as long as they were
 * delayed. A source with at most half the requests of the one with the most never waits.
 */
export class FairTurns {
  readonly #sources = new Map<string, Source>();
  readonly #clock: () => number;
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;
  /** Requests of a source that may be in progress. */
  #limit = Infinity;
  #pauseEnd = 0;
  /** The sources of requests that have ended in this round of the event loop. */
  readonly #ended: Source[] = [];

  /** @param clock Milliseconds, never set back */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * Begins a request, now or later.
   * @returns ends it, begun or not
   * @throws SealbookError `overloaded`
   */
  begin(key: string, begin: () => void): () => void {
    const source = this.#sources.get(key) ?? { running: 0, waiting: new Set(), unseen: 0 };
    if (!this.#sources.has(key) && this.#sources.size === 1) this.#limit = FIRST_LIMIT;
    this.#sources.set(key, source);
    source.unseen = 0;
    if (this.#timer === undefined) {
      this.#checkedAt = this.#clock();
      this.#timer = setInterval(() => this.check(), TICK_MILLISECONDS).unref();
    }
    if (source.waiting.size >= MOST_WAITING)
      throw new SealbookError("overloaded", "too many requests are waiting", { retryAfterSeconds: RETRY_SECONDS });
    source.waiting.add(begin);
    this.#startWaiting(source);
    return () => {
      if (source.waiting.delete(begin)) return;
      if (this.#limit === Infinity) source.running -= 1;
      else this.#endSoon(source);
    };
  }

  /** Adapts the limit to the delay of the check; called at intervals. */
  check(): void {
    const now = this.#clock();
    const delay = now - this.#checkedAt - TICK_MILLISECONDS;
    this.#checkedAt = now;
    for (const [key, source] of this.#sources) {
      source.unseen += 1;
      if (source.running + source.waiting.size === 0 && source.unseen > FORGET_CHECKS) this.#sources.delete(key);
    }
    if (this.#sources.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const sources = [...this.#sources.values()];
    if (sources.length <= 1) {
      this.#limit = Infinity;
      this.#pauseEnd = 0;
    } else if (delay > BUSY_MILLISECONDS) {
      const most = Math.max(...sources.map(({ running }) => running));
      this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, most) / 2));
      this.#pauseEnd = now + Math.min(delay, LONGEST_PAUSE_MILLISECONDS);
    } else if (now >= this.#pauseEnd && sources.some(({ waiting }) => waiting.size > 0)) {
      this.#limit = Math.ceil(this.#limit * GROWTH);
    }
    for (const source of sources) this.#startWaiting(source);
  }

  /** Ends requests after the thread has looked for others: any number of them can begin and end before that. */
  #endSoon(source: Source): void {
    const isFirst = this.#ended.length === 0;
    this.#ended.push(source);
    if (!isFirst) return;
    setImmediate(() => {
      const ended = this.#ended.splice(0);
      for (const each of ended) each.running -= 1;
      for (const each of new Set(ended)) this.#startWaiting(each);
    });
  }

  #startWaiting(source: Source): void {
    for (const begin of source.waiting) {
      if (!this.#mayBegin(source)) return;
      source.waiting.delete(begin);
      source.running += 1;
      begin();
    }
  }

  #mayBegin(source: Source): boolean {
    if (this.#limit === Infinity) return true;
    const size = sizeOf(source);
    const others = [...this.#sources.values()].filter((other) => other !== source);
    if (others.some((other) => sizeOf(other) >= size * 2)) return true;
    const isLargest = others.every((other) => sizeOf(other) < size);
    const isPaused = isLargest && this.#clock() < this.#pauseEnd && others.some(({ running }) => running > 0);
    return !isPaused && source.running < this.#limit;
  }
}

function sizeOf({ running, waiting }: Source): number {
  return running + waiting.size;
}

/** Lets the requests of each source begin when it is its turn. */
export function fairTurns(turns = new FairTurns()): RequestHandler {
  return (request, response, next) => {
    response.once("close", turns.begin(sourceKey(request.ip), next));
  };
}
