import { setTimeout as sleep } from "node:timers/promises";
import { Backoff, type BackoffRule } from "../../kit/backoff.ts";
import { equalBytes, hex } from "../../kit/bytes.ts";
import type { JournalLine } from "../integrity/entry-chain.ts";
import type { JournalSource } from "../entries/entry-source.ts";
import type { SegmentTarget } from "./segment-target.ts";
import { BEFORE_FIRST, endOf, makeSegment, type Segment, type SegmentEnd } from "./segment.ts";
import { type Lag, ShippingLag } from "./replication-lag.ts";
import type { Clock } from "../../kit/time.ts";

/** Number of entries per read. */
const PAGE_LINES = 1_000;

/** Interval of lag measurements. */
const LAG_CHECK_MILLISECONDS = 1_000;

/** Events of the replicator. */
export type ReplicatorEvent =
  | { readonly kind: "shipped"; readonly segment: number; readonly first: number; readonly last: number }
  /** Emitted once per outage. */
  | { readonly kind: "failing"; readonly error: unknown }
  /** The outage or the divergence ended. */
  | { readonly kind: "recovered" }
  /** Target and journal agree; emitted after the first round, and after each outage or divergence. */
  | { readonly kind: "agreed" }
  /** Emitted once, and ended by `caught_up`. */
  | ({ readonly kind: "lagging" } & Lag)
  | { readonly kind: "caught_up" }
  /** Target and journal contradict each other: nothing is written until they agree. */
  | { readonly kind: "diverged"; readonly reason: string };

/** Settings of a replicator. */
export interface ReplicatorRules {
  /** Interval between rounds. */
  readonly intervalMilliseconds: number;
  /** The lag at which `lagging` is emitted. */
  readonly lagLimitMilliseconds: number;
  /** Maximum number of entries of a segment. */
  readonly segmentLines: number;
  /** Number of characters at which a segment is full with fewer entries; bounds its memory. */
  readonly segmentCharacters: number;
  /** Delays before retries after a failure. */
  readonly retry: BackoffRule;
}

/** Default settings. */
export const DEFAULT_RULES = {
  segmentLines: 10_000,
  segmentCharacters: 8 * 1024 * 1024,
  retry: { firstMilliseconds: 1_000, longestMilliseconds: 30_000 },
} as const;

/** Thrown when a retry does not help. */
class Divergence extends Error {}

/**
 * Replicates the journal to one target, segment by segment. Continues after the newest segment of the target and keeps
 * no state of its own, so that any number of relayers can write to one target: a relayer whose segment number is taken
 * continues after that segment.
 */
export class Replicator {
  readonly #target: SegmentTarget;
  readonly #source: JournalSource;
  readonly #rules: ReplicatorRules;
  readonly #clock: Clock;
  readonly #onEvent: (event: ReplicatorEvent) => void;
  readonly #lag = new ShippingLag();
  readonly #stop = new AbortController();
  /** The end of the newest segment; unknown at first and after an error. */
  #end: SegmentEnd | undefined;
  #state: "shipping" | "failing" | "diverged" = "shipping";
  #agrees = false;
  readonly #backoff: Backoff;
  #lagging = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(
    target: SegmentTarget,
    source: JournalSource,
    rules: ReplicatorRules,
    clock: Clock,
    onEvent: (event: ReplicatorEvent) => void,
  ) {
    this.#target = target;
    this.#source = source;
    this.#rules = rules;
    this.#backoff = new Backoff(rules.retry);
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** Name of the target. */
  get name(): string {
    return this.#target.name;
  }

  /** `diverged` needs an operator; `failing` ends with its cause. */
  get state(): "shipping" | "failing" | "diverged" {
    return this.#state;
  }

  /** Returns the lag of the target, which counts as empty until its newest segment is known. */
  lag(): Lag {
    return this.#lag.at(this.#clock());
  }

  start(): void {
    this.#work = Promise.all([this.#ship(), this.#watch()]);
  }

  /** Stops after the current write. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #ship(): Promise<void> {
    while (!this.#stopped) await this.#pause(await this.#round());
  }

  /** Replicates all entries. @returns the milliseconds until the next round */
  async #round(): Promise<number> {
    try {
      await this.#catchUp();
      this.#enter("shipping");
      if (!this.#agrees) this.#onEvent({ kind: "agreed" });
      this.#agrees = true;
      this.#backoff.reset();
      return this.#rules.intervalMilliseconds;
    } catch (error) {
      this.#end = undefined;
      this.#agrees = false;
      if (error instanceof Divergence) {
        if (this.#enter("diverged")) this.#onEvent({ kind: "diverged", reason: error.message });
        return this.#rules.retry.longestMilliseconds;
      }
      if (this.#enter("failing")) this.#onEvent({ kind: "failing", error });
      return this.#backoff.next();
    }
  }

  async #catchUp(): Promise<void> {
    let end = this.#end ?? (await this.#locate());
    // Read after the target: other relayers write to it, and it must not appear ahead of the journal.
    const { sequence: head } = await this.#source.head();
    this.#lag.seen(head, this.#clock());
    while (end.last < head && !this.#stopped) {
      const segment = await this.#gather(end);
      if (await this.#target.write(segment)) {
        end = this.#reached(segment);
        this.#enter("shipping");
        this.#onEvent({ kind: "shipped", segment: segment.number, first: segment.first, last: segment.last });
      } else {
        const found = await this.#locate();
        // The store does not list a segment that it reports as existing: retried with backoff.
        if (found.number < segment.number)
          throw new Error(`segment ${segment.number} is taken, but the newest is ${found.number || "none"}`);
        end = found;
      }
    }
  }

  /** Finds the end of the target's newest segment and checks that it belongs to this journal. */
  async #locate(): Promise<SegmentEnd> {
    const newest = await this.#target.newest();
    if (newest === undefined) return this.#reached(BEFORE_FIRST);
    const end = endOf(newest);
    await this.#checkDigest(end, "the target");
    return this.#reached(end);
  }

  #reached(end: SegmentEnd): SegmentEnd {
    this.#end = { number: end.number, last: end.last, digest: end.digest };
    this.#lag.shipped(end.last);
    return this.#end;
  }

  /** Reads the next segment's entries and checks them against the journal's digest. */
  async #gather(end: SegmentEnd): Promise<Segment> {
    const { segmentLines, segmentCharacters } = this.#rules;
    const gathered: JournalLine[] = [];
    let characters = 0;
    while (gathered.length < segmentLines && characters < segmentCharacters) {
      const wanted = Math.min(PAGE_LINES, segmentLines - gathered.length);
      const { lines, previousDigest } = await this.#source.lines(end.last + gathered.length, wanted);
      if (gathered.length === 0 && !equalBytes(previousDigest, end.digest)) {
        throw new Divergence(`the target ends with entry ${end.last}, but the journal has another one there`);
      }
      for (const line of lines) {
        gathered.push(line);
        characters += line.text.length;
        if (characters >= segmentCharacters) break;
      }
      if (lines.length < wanted) break;
    }
    const segment = makeSegment(end, gathered);
    await this.#checkDigest(segment, "what would be shipped");
    return segment;
  }

  async #checkDigest({ last, digest }: SegmentEnd, what: string): Promise<void> {
    const expected = await this.#source.digestAt(last);
    if (expected === undefined)
      throw new Divergence(`${what} goes up to entry ${last}, which the journal does not have`);
    if (!equalBytes(expected, digest)) {
      throw new Divergence(`${what} has digest ${hex(digest)} at entry ${last}, but the journal has ${hex(expected)}`);
    }
  }

  /** @returns whether the state changed */
  #enter(state: "shipping" | "failing" | "diverged"): boolean {
    if (this.#state === state) return false;
    this.#state = state;
    if (state === "shipping") this.#onEvent({ kind: "recovered" });
    return true;
  }

  /** Runs beside the replication, which can hang on a target that does not respond. */
  async #watch(): Promise<void> {
    while (!this.#stopped) {
      // The replication reports a journal that cannot be read.
      const head = await this.#source.head().catch(() => undefined);
      if (head !== undefined) this.#lag.seen(head.sequence, this.#clock());
      this.#checkLag();
      await this.#pause(LAG_CHECK_MILLISECONDS);
    }
  }

  #checkLag(): void {
    const lag = this.lag();
    const isLate = lag.seconds * 1000 > this.#rules.lagLimitMilliseconds;
    if (isLate === this.#lagging) return;
    this.#lagging = isLate;
    this.#onEvent(isLate ? { kind: "lagging", ...lag } : { kind: "caught_up" });
  }

  #pause(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
