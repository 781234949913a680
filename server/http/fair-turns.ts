import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { nextTurn, onBehalfOf, type Origin } from "../kit/next-turn.ts";
import { sourceKey } from "./access/source-key.ts";

/** Interval of the checks whether the thread keeps up. */
const TICK_MILLISECONDS = 5;
/** Delay of a check from which the thread counts as busy. */
const BUSY_MILLISECONDS = 10;
/** Checks for which a source without requests counts as active: a second, longer when the thread is busy. */
const ACTIVE_CHECKS = 200;
/** Checks after which it does not count as another source any more. */
const FORGET_CHECKS = 1_000;
/** What every source may use without waiting, in small requests: about 200 a second. */
const FREE_REQUESTS = 300;
/** Time in which half of what a source has used is forgotten, and in which the level doubles. */
const HALF_LIFE_MILLISECONDS = 1_000;
/** Bytes that take the thread about as long as a small request. */
const BYTES_PER_REQUEST = 16 * 1024;
/** Time that the thread takes for a small request. */
const REQUEST_MILLISECONDS = 0.2;
/** Pause after a turn of long work, in times of the turn, of a source that uses the thread much beside others. */
const PAUSE = 2;
/** Maximum number of waiting requests of a source; a connection can have several. */
const MOST_WAITING = 4_096;
const RETRY_SECONDS = 1;

/** A request that has begun, or waits for its turn. */
export interface Turn {
  /**
   * Ends it, begun or not.
   * @param bytes Transferred besides its body
   */
  end(bytes?: number): void;
}

/**
 * Shares the thread among the sources of requests. The requests of the only source begin at once. Of several sources,
 * those below a common level of use do so too; the requests of the others wait until the source is below it. The level
 * is half of the largest use when the thread does not keep up, and rises while requests wait. What a source uses is
 * estimated from its requests and their bytes, and measured for turns of long work; it is forgotten with time. Between
 * the turns of long work of a source that uses the thread much, others find the thread free.
 */
export class FairTurns {
  readonly #sources = new Map<string, Source>();
  readonly #clock: () => number;
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;
  #level = Infinity;

  /** @param clock Milliseconds, never set back */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Whether there are several sources. */
  get isShared(): boolean {
    return this.#sources.size > 1;
  }

  /**
   * Begins a request, now or later.
   * @param bytes Size of its body
   * @throws SealbookError `overloaded`
   */
  begin(key: string, bytes: number, begin: () => void): Turn {
    const source = this.#sources.get(key) ?? new Source();
    this.#sources.set(key, source);
    source.unseen = 0;
    if (this.#timer === undefined) {
      this.#checkedAt = this.#clock();
      this.#timer = setInterval(() => this.check(), TICK_MILLISECONDS).unref();
    }
    if (source.waiting.size >= MOST_WAITING)
      throw new SealbookError("overloaded", "too many requests are waiting", { retryAfterSeconds: RETRY_SECONDS });
    const request = { cost: 1 + bytes / BYTES_PER_REQUEST, begin: () => onBehalfOf(source, begin) };
    source.waiting.add(request);
    this.#beginWaiting(source);
    return {
      end: (more = 0) => {
        if (!source.waiting.delete(request)) source.used += more / BYTES_PER_REQUEST;
      },
    };
  }

  /** Adapts the level to the delay of the check; called at intervals. */
  check(): void {
    const now = this.#clock();
    const passed = now - this.#checkedAt;
    this.#checkedAt = now;
    for (const [key, source] of this.#sources) {
      source.unseen += 1;
      if (source.waiting.size === 0 && source.unseen > FORGET_CHECKS) this.#sources.delete(key);
    }
    if (this.#sources.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    // Each source is looked at a fixed number of times: there can be ten thousand.
    let largest: Source | undefined;
    let active = 0;
    let isWaiting = false;
    for (const source of this.#sources.values()) {
      if (largest === undefined || source.used > largest.used) largest = source;
      if (source.isActive) active += 1;
      isWaiting ||= source.waiting.size > 0;
    }
    const halvings = passed / HALF_LIFE_MILLISECONDS;
    if (largest === undefined || this.#sources.size === 1) {
      this.#level = Infinity;
    } else if (passed > TICK_MILLISECONDS + BUSY_MILLISECONDS) {
      if (active > Number(largest.isActive))
        this.#level = Math.max(FREE_REQUESTS, Math.min(this.#level, largest.used) / 2);
    } else if (isWaiting) {
      this.#level *= 2 ** halvings;
    }
    for (const source of this.#sources.values()) {
      source.isBesideOthers = active > Number(source.isActive);
      source.used *= 0.5 ** halvings;
      this.#beginWaiting(source);
    }
  }

  #beginWaiting(source: Source): void {
    for (const request of source.waiting) {
      if (this.isShared && source.used >= this.#level) return;
      source.waiting.delete(request);
      source.used += request.cost;
      request.begin();
    }
  }
}

class Source implements Origin {
  /** What it has used lately, in small requests. */
  used = 0;
  /** Those that wait for their turn, the oldest first. */
  readonly waiting = new Set<{ readonly cost: number; readonly begin: () => void }>();
  /** Checks since its last request. */
  unseen = 0;
  /** Whether other sources are active. */
  isBesideOthers = false;

  get isActive(): boolean {
    return this.unseen < ACTIVE_CHECKS;
  }

  tookTurn(milliseconds: number): number {
    this.used += milliseconds / REQUEST_MILLISECONDS;
    return this.isBesideOthers && this.used >= FREE_REQUESTS ? PAUSE * milliseconds : 0;
  }
}

/** Lets the requests of each source begin when it is its turn. */
export function fairTurns(turns = new FairTurns()): RequestHandler {
  return (request, response, next) => {
    const { socket, headers } = request;
    const body = Number(headers["content-length"] ?? 0);
    const before = socket.bytesRead + socket.bytesWritten;
    // The time of a turn is measured: that of the whole request, unless it waits for something else.
    const begin = (): void => void (turns.isShared ? nextTurn().then(() => next()) : next());
    const turn = turns.begin(sourceKey(request.ip), body, begin);
    response.once("close", () => {
      turn.end(Math.max(0, socket.bytesRead + socket.bytesWritten - before - body));
    });
  };
}
