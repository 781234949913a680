import PQueue from "p-queue";
import { SealbookError } from "../errors.ts";

/** Limits of a {@link FairQueue}. */
export interface FairQueueOptions {
  /** Names the work in messages, in the plural. */
  readonly jobs: string;
  /** Maximum of work that runs. */
  readonly atOnce: number;
  /** Maximum of work that waits for one source. */
  readonly perSource: number;
  /** Maximum of work that waits for known sources. */
  readonly known: number;
  /** Maximum of work that waits for the other sources. */
  readonly unknown: number;
}

/** The origin of work. */
export interface Source {
  readonly key: string;
  /** Whether it has earned a place that other sources cannot take. */
  readonly isKnown: boolean;
}

/** Work that waits. */
interface Waiting {
  readonly run: () => Promise<void>;
  readonly refuse: (error: SealbookError) => void;
}

const RETRY_SECONDS = 2;

/**
 * Limits how much work runs at a time. Sources take turns, and so do known and unknown sources as groups: the wait of a
 * source depends on the number of sources, not on the amount of work of one. A source without waiting work always finds
 * a place: the source with the most waiting work loses its newest.
 */
export class FairQueue {
  readonly #slots: PQueue;
  readonly #known: Round;
  readonly #unknown: Round;
  #lastWasKnown = false;

  constructor({ jobs, atOnce, perSource, known, unknown }: FairQueueOptions) {
    this.#slots = new PQueue({ concurrency: atOnce });
    this.#known = new Round(jobs, known, perSource);
    this.#unknown = new Round(jobs, unknown, perSource);
  }

  /** @throws SealbookError `overloaded` when too much of this source waits, or of all sources */
  run<T>(source: Source, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const round = source.isKnown ? this.#known : this.#unknown;
      round.add(source.key, { run: () => work().then(resolve, reject), refuse: reject });
      // A slot goes to the next in turn, which is rarely the one that asked for it.
      void this.#slots.add(() => this.#next()?.run());
    });
  }

  #next(): Waiting | undefined {
    const [first, second] = this.#lastWasKnown ? [this.#unknown, this.#known] : [this.#known, this.#unknown];
    const next = first.take();
    this.#lastWasKnown = next === undefined ? second === this.#known : first === this.#known;
    return next ?? second.take();
  }
}

/** Sources that take turns. */
class Round {
  readonly #jobs: string;
  readonly #most: number;
  readonly #perSource: number;
  /** In the order of their turns; each has waiting work. */
  readonly #bySource = new Map<string, Waiting[]>();
  #size = 0;

  constructor(jobs: string, most: number, perSource: number) {
    this.#jobs = jobs;
    this.#most = most;
    this.#perSource = perSource;
  }

  add(key: string, item: Waiting): void {
    const items = this.#bySource.get(key) ?? [];
    if (items.length >= this.#perSource || (this.#size >= this.#most && !this.#displace(items.length)))
      throw overloaded(this.#jobs);
    this.#bySource.set(key, [...items, item]);
    this.#size += 1;
  }

  take(): Waiting | undefined {
    for (const [key, [item, ...others]] of this.#bySource) {
      this.#bySource.delete(key);
      if (others.length > 0) this.#bySource.set(key, others);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** Refuses the newest work of the source with the most, if it has at least two more than `length`. */
  #displace(length: number): boolean {
    let longest: [string, Waiting[]] | undefined;
    for (const each of this.#bySource) if (each[1].length > (longest?.[1].length ?? length + 1)) longest = each;
    if (longest === undefined) return false;
    const [key, items] = longest;
    this.#bySource.set(key, items.slice(0, -1));
    this.#size -= 1;
    items.at(-1)?.refuse(overloaded(this.#jobs));
    return true;
  }
}

function overloaded(jobs: string): SealbookError {
  return new SealbookError("overloaded", `too many ${jobs} are waiting; try again soon`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
