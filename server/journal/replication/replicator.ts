import { setTimeout as sleep } from "node:timers/promises";
import { Backoff, type BackoffRule } from "../../kit/backoff.ts";
import { equalBytes } from "../../kit/bytes.ts";
import type { Clock } from "../../kit/time.ts";
import type { JournalSource } from "../entries/entry-source.ts";
import type { StoredRow } from "../entries/journal-row.ts";
import type { ObjectStore } from "./object-store.ts";
import {
  encodeRows,
  nameFrom,
  type ObjectName,
  objectName,
  ReplicaFault,
  type ReplicaJournal,
} from "./replica-object.ts";
import { findNewestObject, newestObject, readObject } from "./replica-reader.ts";
import { type Lag, ReplicationLag } from "./replication-lag.ts";

/** Interval of lag measurements. */
const LAG_CHECK_MILLISECONDS = 1_000;

/** Events of the replicator. */
export type ReplicatorEvent =
  | { readonly kind: "stored"; readonly first: number; readonly last: number }
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
  /** Number of entries from which an object is full. */
  readonly entries: number;
  /** Number of bytes from which an object is full; bounds its memory. */
  readonly bytes: number;
  /** Delays before retries after a failure. */
  readonly retry: BackoffRule;
}

/** Default settings. */
export const DEFAULT_RULES = {
  entries: 10_000,
  bytes: 8 * 1024 * 1024,
  retry: { firstMilliseconds: 1_000, longestMilliseconds: 30_000 },
} as const;

type SeenObject = Omit<ObjectName, "digest">;

/** Thrown when a retry does not help. */
class Divergence extends Error {}

/**
 * Replicates the rows of the journal to one target: each object has those that came since the one before. Continues
 * after the newest object of the target, so that any number of relayers can write to it.
 */
export class Replicator {
  readonly #store: ObjectStore;
  readonly #journal: ReplicaJournal;
  readonly #source: JournalSource;
  readonly #rules: ReplicatorRules;
  readonly #clock: Clock;
  readonly #onEvent: (event: ReplicatorEvent) => void;
  readonly #lag = new ReplicationLag();
  readonly #stop = new AbortController();
  /** The newest object that was seen at the target: it never loses one. */
  #seen: SeenObject | undefined;
  /** `diverged` needs an operator; `failing` ends with its cause. */
  #state: "replicating" | "failing" | "diverged" = "replicating";
  #agrees = false;
  readonly #backoff: Backoff;
  #lagging = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(
    store: ObjectStore,
    journal: ReplicaJournal,
    source: JournalSource,
    rules: ReplicatorRules,
    clock: Clock,
    onEvent: (event: ReplicatorEvent) => void,
  ) {
    this.#store = store;
    this.#journal = journal;
    this.#source = source;
    this.#rules = rules;
    this.#backoff = new Backoff(rules.retry);
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** Name of the target. */
  get name(): string {
    return this.#store.name;
  }

  /** The newest entry at the target, as far as this replicator knows. */
  get replicated(): number {
    return this.#seen?.last ?? 0;
  }

  /** Returns the lag of the target, which counts as empty until its newest object is known. */
  lag(): Lag {
    return this.#lag.at(this.#clock());
  }

  start(): void {
    this.#work = Promise.all([this.#replicate(), this.#watch()]);
  }

  /** Stops after the current request, which the store's own signal can end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #replicate(): Promise<void> {
    while (!this.#stopped) await this.#pause(await this.#round());
  }

  /** Replicates all rows. @returns the milliseconds until the next round */
  async #round(): Promise<number> {
    try {
      await this.#catchUp();
      this.#enter("replicating");
      if (!this.#agrees) this.#onEvent({ kind: "agreed" });
      this.#agrees = true;
      this.#backoff.reset();
      return this.#rules.intervalMilliseconds;
    } catch (error) {
      this.#agrees = false;
      if (this.#stopped) return 0;
      // A row of the journal that was changed, or an object of the target.
      if (error instanceof Divergence || error instanceof RangeError || error instanceof ReplicaFault) {
        if (this.#enter("diverged")) this.#onEvent({ kind: "diverged", reason: error.message });
        return this.#rules.retry.longestMilliseconds;
      }
      if (this.#enter("failing")) this.#onEvent({ kind: "failing", error });
      return this.#backoff.next();
    }
  }

  async #catchUp(): Promise<void> {
    const { sequence: head } = await this.#source.head();
    this.#lag.seen(head, this.#clock());
    if (this.#agrees && this.replicated >= head) return;
    await this.#locate(head);
    let gathered: StoredRow[] = [];
    let bytes = 0;
    const put = async (): Promise<void> => {
      await this.#put(gathered);
      [gathered, bytes] = [[], 0];
    };
    try {
      for await (const { stored } of this.#source.rows(this.replicated)) {
        gathered.push(stored);
        bytes += stored.body.length;
        if (stored.last - this.replicated < this.#rules.entries && bytes < this.#rules.bytes) continue;
        await put();
        if (this.#stopped) return;
      }
    } catch (error) {
      // A row was changed; those before it are whole.
      if (error instanceof RangeError) await put();
      throw error;
    }
    await put();
  }

  async #put(rows: readonly StoredRow[]): Promise<void> {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    const name = objectName(first.first, last);
    await this.#store.put(name, encodeRows(this.#journal, rows));
    this.#reached({ name, first: first.first, last: last.last });
    this.#enter("replicating");
    this.#onEvent({ kind: "stored", first: first.first, last: last.last });
  }

  /** Finds the newest object of the target, and checks that it is the journal's. */
  async #locate(head: number): Promise<void> {
    const seen = this.#seen;
    const newest =
      seen === undefined
        ? await findNewestObject(this.#store, head)
        : await newestObject(this.#store, nameFrom(seen.first));
    if (newest === undefined) {
      if (seen !== undefined) throw new Divergence(`the target has lost ${seen.name}: is it mounted?`);
      return;
    }
    if (newest.name === seen?.name && this.#agrees) return;
    await this.#assertOwn(newest);
    this.#reached(newest);
  }

  /** Compares the newest row of the target with that of the journal. */
  async #assertOwn(newest: ObjectName): Promise<void> {
    const { sequence: head } = await this.#source.head();
    if (newest.last > head)
      throw new Divergence(`the target goes up to entry ${newest.last}, which the journal does not have`);
    const digest = await this.#source.digestAt(newest.last);
    if (!equalBytes(digest, Buffer.from(newest.digest, "hex")))
      throw new Divergence(`the target has another entry ${newest.last} than the journal`);
    const previous = await this.#source.digestAt(newest.first - 1);
    if (previous === undefined) throw new RangeError(`entry ${newest.first - 1} of the journal is missing`);
    const { journal, nameCode, rows } = await readObject(this.#store, newest, previous);
    if (journal !== this.#journal.journal)
      // Not its text: anybody could have written that.
      throw new Divergence(`the target is of another journal than ${this.#journal.journal}`);
    const replicated = rows.at(-1);
    const isOwn = equalBytes(nameCode, this.#journal.nameCode);
    for await (const { stored } of this.#source.rows(newest.last - 1)) {
      if (isOwn && stored.last === newest.last && equalBytes(replicated?.code, stored.code)) return;
      break;
    }
    throw new Divergence(
      `the target's entries up to ${newest.last} were written in other rows, or with another key: replicate to an ` +
        "empty target",
    );
  }

  #reached(object: SeenObject): void {
    this.#seen = object;
    this.#lag.replicated(object.last);
  }

  /** @returns whether the state changed */
  #enter(state: "replicating" | "failing" | "diverged"): boolean {
    if (this.#state === state) return false;
    this.#state = state;
    if (state === "replicating") this.#onEvent({ kind: "recovered" });
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
