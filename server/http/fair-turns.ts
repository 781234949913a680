import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { sourceKey } from "./access/source-key.ts";

/** Interval of the checks whether the thread keeps up. */
const TICK_MILLISECONDS = 10;
/** Delay of a check from which the thread counts as busy. */
const BUSY_MILLISECONDS = 10;
/** Time after which a source without requests does not count as another one any more. */
const FORGET_MILLISECONDS = 5_000;
/** Number of requests of a source that begin at a check, at first, and at most. */
const FIRST_AT_ONCE = 8;
const MOST_AT_ONCE = 64;
/** Maximum number of waiting requests of a source; a connection can have several. */
const MOST_WAITING = 4_096;
const RETRY_SECONDS = 1;

interface Source {
  /** Requests in progress. */
  running: number;
  /** Requests that have begun since the last check. */
  begun: number;
  readonly waiting: (() => void)[];
  /** Time of its last request. */
  seenAt: number;
}

/**
 * Shares the thread among the sources of requests. The requests of the only source begin at once. Of several sources,
 * each may begin a number of requests between two checks: one more at every check while the thread keeps up, half as
 * many when it does not, and then none for as long as the delay was. Others wait, and begin in the order of their
 * arrival, one of each source in turn. A source with less than half the requests of the one with the most never waits.
 */
export class FairTurns {
  readonly #sources = new Map<string, Source>();
  readonly #clock: () => number;
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;
  #atOnce = FIRST_AT_ONCE;
  #pauseEnd = 0;
  /** Most requests of a source since the last check. */
  #most = 0;

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
    const now = this.#clock();
    const source = this.#sources.get(key) ?? { running: 0, begun: 0, waiting: [], seenAt: now };
    this.#sources.set(key, source);
    source.seenAt = now;
    if (this.#timer === undefined) {
      this.#checkedAt = now;
      this.#timer = setInterval(() => this.check(), TICK_MILLISECONDS).unref();
    }
    if (source.waiting.length >= MOST_WAITING)
      throw new SealbookError("overloaded", "too many requests are waiting", { retryAfterSeconds: RETRY_SECONDS });
    let isRunning = false;
    const start = (): void => {
      isRunning = true;
      source.running += 1;
      source.begun += 1;
      begin();
    };
    this.#most = Math.max(this.#most, sizeOf(source));
    if (source.waiting.length === 0 && !this.#mustWait(source, now)) start();
    else source.waiting.push(start);
    return () => {
      if (isRunning) source.running -= 1;
      else source.waiting.splice(source.waiting.indexOf(start), 1);
    };
  }

  /** Lets waiting requests begin; called at intervals. */
  check(): void {
    const now = this.#clock();
    const delay = now - this.#checkedAt - TICK_MILLISECONDS;
    this.#checkedAt = now;
    this.#most = 0;
    for (const [key, source] of this.#sources) {
      source.begun = 0;
      if (sizeOf(source) === 0 && now - source.seenAt > FORGET_MILLISECONDS) this.#sources.delete(key);
      else this.#most = Math.max(this.#most, sizeOf(source));
    }
    if (this.#sources.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (now < this.#pauseEnd && this.#sources.size > 1) return;
    if (delay > BUSY_MILLISECONDS) {
      this.#atOnce = Math.max(1, Math.floor(this.#atOnce / 2));
      this.#pauseEnd = now + delay;
    } else {
      this.#atOnce = Math.min(MOST_AT_ONCE, this.#atOnce + 1);
    }
    this.#startSome(this.#atOnce);
  }

  /** One of each source in turn. */
  #startSome(count: number): void {
    for (let left = count; left > 0;) {
      const queued = [...this.#sources].filter(([, { waiting }]) => waiting.length > 0).slice(0, left);
      if (queued.length === 0) return;
      for (const [key, source] of queued) {
        source.waiting.shift()?.();
        // Behind the others, also at the next check.
        this.#sources.delete(key);
        this.#sources.set(key, source);
      }
      left -= queued.length;
    }
  }

  #mustWait(source: Source, now: number): boolean {
    if (this.#sources.size === 1 || sizeOf(source) * 2 < this.#most) return false;
    const isBusy = now < this.#pauseEnd || now - this.#checkedAt - TICK_MILLISECONDS > BUSY_MILLISECONDS;
    return isBusy || source.begun >= this.#atOnce;
  }
}

function sizeOf({ running, waiting }: Source): number {
  return running + waiting.length;
}

/** Lets the requests of each source begin when it is its turn. */
export function fairTurns(turns = new FairTurns()): RequestHandler {
  return (request, response, next) => {
    response.once("close", turns.begin(sourceKey(request.ip), next));
  };
}
