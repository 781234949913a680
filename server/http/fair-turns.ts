import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { sourceKey } from "./access/source-key.ts";

/** Interval of the checks whether the thread keeps up. */
const TICK_MILLISECONDS = 10;
/** Delay of a check from which the thread counts as busy. */
const BUSY_MILLISECONDS = 5;
/**
 * Checks after which a source without requests does not count as another one any more: 5 s, but not while the thread
 * is so busy that it cannot read requests.
 */
const FORGET_CHECKS = 500;
/** Requests of a source in progress that no other source notices. */
const FEW = 8;
const GROWTH = 1.125;
/** Time after which a request begins in any case: those in progress may be long streams. */
const LONGEST_STOP_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 1_000;
/** Maximum number of waiting requests of a source; a connection can have several. */
const MOST_WAITING = 4_096;
const RETRY_SECONDS = 1;

interface Source {
  /** Requests in progress. */
  running: number;
  readonly waiting: (() => void)[];
  /** Checks since its last request. */
  unseen: number;
  /** Time at which its last request began. */
  begunAt: number;
}

/**
 * Shares the thread among the sources of requests. The requests of the only source begin at once. Of several sources,
 * each has a limited number in progress: somewhat more after every check while the thread keeps up, half as many when
 * it does not, and then none begins for as long as the delay was. Others wait, and begin in the order of their arrival,
 * one of each source in turn. A source with less than half the requests of the one with the most never waits.
 */
export class FairTurns {
  readonly #sources = new Map<string, Source>();
  readonly #clock: () => number;
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;
  /** Requests of a source that may be in progress. */
  #limit = FEW;
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
    const source = this.#sources.get(key) ?? { running: 0, waiting: [], unseen: 0, begunAt: now };
    this.#sources.set(key, source);
    source.unseen = 0;
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
      source.begunAt = this.#clock();
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
    let [running, waiting] = [0, 0];
    for (const [key, source] of this.#sources) {
      this.#most = Math.max(this.#most, sizeOf(source));
      running = Math.max(running, source.running);
      waiting += source.waiting.length;
      source.unseen += 1;
      if (sizeOf(source) === 0 && source.unseen > FORGET_CHECKS) this.#sources.delete(key);
    }
    if (this.#sources.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (this.#sources.size <= 1) this.#limit = Infinity;
    else if (now < this.#pauseEnd) return;
    else this.#adapt(now, delay, running, waiting);
    this.#startWaiting(now);
  }

  #adapt(now: number, delay: number, running: number, waiting: number): void {
    if (delay > BUSY_MILLISECONDS) {
      this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, running) / 2));
      this.#pauseEnd = now + Math.min(delay, LONGEST_PAUSE_MILLISECONDS);
    } else {
      this.#limit =
        waiting > 0
          ? Math.min(MOST_WAITING, Math.ceil(this.#limit * GROWTH))
          : Math.max(FEW, Math.min(this.#limit, running));
    }
  }

  /** Begins requests within the limit, one of each source in turn. */
  #startWaiting(now: number): void {
    const mayStart = ({ running, waiting, begunAt }: Source): boolean =>
      waiting.length > 0 && (running < this.#limit || now - begunAt > LONGEST_STOP_MILLISECONDS);
    for (;;) {
      const queued = [...this.#sources.values()].filter(mayStart);
      if (queued.length === 0) return;
      for (const { waiting } of queued) waiting.shift()?.();
    }
  }

  #mustWait(source: Source, now: number): boolean {
    if (this.#sources.size === 1 || sizeOf(source) * 2 < this.#most) return false;
    const isBusy = now < this.#pauseEnd || now - this.#checkedAt - TICK_MILLISECONDS > BUSY_MILLISECONDS;
    return isBusy || source.running >= this.#limit;
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
