import { equalBytes } from "../../kit/bytes.ts";
import type { JournalLine } from "../integrity/entry-chain.ts";
import type { JournalSource } from "../entries/entry-source.ts";
import type { SegmentTarget } from "./segment-target.ts";
import { BEFORE_FIRST, endOf, makeSegment, type Segment, type SegmentEnd } from "./segment.ts";
import { type Lag, ShippingLag } from "./replication-lag.ts";
import type { Clock } from "../../kit/clock.ts";
import { hex } from "../../kit/hex.ts";

/** Entries read at once. */
const PAGE_LINES = 1_000;

/** How often it looks how far behind the target is. */
const WATCH_MILLISECONDS = 1_000;

/** What the replicator reports. */
export type ReplicatorEvent =
  | { readonly kind: "shipped"; readonly segment: number; readonly first: number; readonly last: number }
  /** Once for each outage. */
  | { readonly kind: "failing"; readonly error: unknown }
  /** The outage, or the divergence, is over. */
  | { readonly kind: "recovered" }
  /** Raised once, and resolved by `caught_up`. */
  | ({ readonly kind: "lagging" } & Lag)
  | { readonly kind: "caught_up" }
  /** The target and the journal contradict each other: nothing is written until they agree again. */
  | { readonly kind: "diverged"; readonly reason: string };

/** How a replicator works. */
export interface ReplicatorRules {
  /** How long entries are gathered before they are shipped. */
  readonly intervalMilliseconds: number;
  /** How long an entry may wait before that is an alert. */
  readonly lagLimitMilliseconds: number;
  /** Most entries of a segment. */
  readonly segmentLines: number;
  /** Characters at which a segment is full with fewer entries, which bounds the memory that it takes. */
  readonly segmentCharacters: number;
  /** How soon it tries again after a failure: after this at first, then ever more rarely. */
  readonly firstRetryMilliseconds: number;
  readonly lastRetryMilliseconds: number;
}

/** The rules that nobody needs to choose. */
export const USUAL_RULES = {
  segmentLines: 10_000,
  segmentCharacters: 8 * 1024 * 1024,
  firstRetryMilliseconds: 1_000,
  lastRetryMilliseconds: 30_000,
} as const;

/** Thrown inside for what trying again does not mend. */
class Divergence extends Error {}

/**
 * Ships the journal to one target, segment by segment. Where it goes on from is what the target says, so that nothing has
 * to be remembered here, and any number of relayers can ship to one target: who finds a number taken goes on after it.
 */
export class Replicator {
  readonly #target: SegmentTarget;
  readonly #source: JournalSource;
  readonly #rules: ReplicatorRules;
  readonly #clock: Clock;
  readonly #onEvent: (event: ReplicatorEvent) => void;
  readonly #lag = new ShippingLag();
  readonly #stop = new AbortController();
  /** Where the target stands; unknown at first, and again after anything unexpected. */
  #end: SegmentEnd | undefined;
  #state: "shipping" | "failing" | "diverged" = "shipping";
  #retryMilliseconds: number;
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
    this.#retryMilliseconds = rules.firstRetryMilliseconds;
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** Name of the target. */
  get name(): string {
    return this.#target.name;
  }

  /** `diverged` is for somebody to look at; `failing` passes by itself when its cause does. */
  get state(): "shipping" | "failing" | "diverged" {
    return this.#state;
  }

  /** How far the target is behind. Before it has said where it stands, it counts as empty. */
  lag(): Lag {
    return this.#lag.at(this.#clock());
  }

  start(): void {
    this.#work = Promise.all([this.#ship(), this.#watch()]);
  }

  /** Ends after what is being written at the moment. */
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

  /** Ships all there is. @returns after how many milliseconds to look again */
  async #round(): Promise<number> {
    try {
      await this.#catchUp();
      this.#becomes("shipping");
      this.#retryMilliseconds = this.#rules.firstRetryMilliseconds;
      return this.#rules.intervalMilliseconds;
    } catch (error) {
      this.#end = undefined;
      if (error instanceof Divergence) {
        if (this.#becomes("diverged")) this.#onEvent({ kind: "diverged", reason: error.message });
        return this.#rules.lastRetryMilliseconds;
      }
      if (this.#becomes("failing")) this.#onEvent({ kind: "failing", error });
      const wait = this.#retryMilliseconds;
      this.#retryMilliseconds = Math.min(2 * wait, this.#rules.lastRetryMilliseconds);
      return wait;
    }
  }

  async #catchUp(): Promise<void> {
    let end = this.#end ?? (await this.#locate());
    // Read after the target: others may ship meanwhile, and it must not seem to be ahead.
    const { sequence: head } = await this.#source.head();
    this.#lag.seen(head, this.#clock());
    while (end.last < head && !this.#stopped) {
      const segment = await this.#gather(end);
      if (await this.#target.write(segment)) {
        end = this.#reached(segment);
        this.#becomes("shipping");
        this.#onEvent({ kind: "shipped", segment: segment.number, first: segment.first, last: segment.last });
      } else {
        const found = await this.#locate();
        // A store that does not list what it says it has: not to be asked again at once.
        if (found.number < segment.number)
          throw new Error(`segment ${segment.number} is taken, but the newest is ${found.number || "none"}`);
        end = found;
      }
    }
  }

  /** Where the target stands, once it is clear that it holds this journal. */
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

  /** The entries that come next, as many as go into one segment, checked against the journal's own digest. */
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

  /** @returns whether it was something else before */
  #becomes(state: "shipping" | "failing" | "diverged"): boolean {
    if (this.#state === state) return false;
    this.#state = state;
    if (state === "shipping") this.#onEvent({ kind: "recovered" });
    return true;
  }

  /** Apart from the shipping, which may hang on a target that does not answer. */
  async #watch(): Promise<void> {
    while (!this.#stopped) {
      // A journal that cannot be read is told of by whoever ships.
      const head = await this.#source.head().catch(() => undefined);
      if (head !== undefined) this.#lag.seen(head.sequence, this.#clock());
      this.#judge();
      await this.#pause(WATCH_MILLISECONDS);
    }
  }

  #judge(): void {
    const lag = this.lag();
    const isLate = lag.seconds * 1000 > this.#rules.lagLimitMilliseconds;
    if (isLate === this.#lagging) return;
    this.#lagging = isLate;
    this.#onEvent(isLate ? { kind: "lagging", ...lag } : { kind: "caught_up" });
  }

  #pause(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { signal } = this.#stop;
    if (signal.aborted) return Promise.resolve();
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    signal.addEventListener("abort", wake);
    return promise;
  }
}
