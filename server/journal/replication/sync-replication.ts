import { SealbookError } from "../../errors.ts";
import type { Replicator } from "./replicator.ts";

const RETRY_SECONDS = 5;

export interface SyncReplicationDeps {
  readonly replicators: readonly Pick<Replicator, "onReached" | "wake">[];
  /** Returns the sequence of the journal's newest entry. */
  readonly head: () => Promise<number>;
  /** Called when no target took the entries in time, and when one has taken them. */
  readonly onChange: (isAvailable: boolean) => void;
}

interface Waiter {
  readonly sequence: number;
  conclude(error?: SealbookError): void;
}

/**
 * Waits until at least one target has the newest entries of the journal. Entries of all callers that wait share the
 * next segment.
 */
export class SyncReplication {
  readonly #deps: SyncReplicationDeps;
  /** The newest entry that a target has. */
  #reached = 0;
  #isAvailable = true;
  /** Whether the first state was reported: an alert can last from before the start. */
  #isReported = false;
  readonly #waiters = new Set<Waiter>();

  constructor(deps: SyncReplicationDeps) {
    this.#deps = deps;
    for (const replicator of deps.replicators) replicator.onReached((sequence) => this.#advance(sequence));
  }

  /** Whether the last wait ended with the entries at a target. */
  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /**
   * Checks before entries are written whether a target can be expected to take them.
   * @throws SealbookError `journal_unavailable`
   */
  assertAvailable(): void {
    if (!this.#isAvailable) throw unavailable("nothing was accepted");
  }

  /**
   * Waits until a target has every entry that is in the journal now.
   * @param end Time of `performance.now()` at which the wait fails
   * @throws SealbookError `journal_unavailable`; the entries stay in the journal and are replicated later
   */
  async replicated(end: number): Promise<void> {
    const sequence = await this.#deps.head();
    if (sequence <= this.#reached) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiter.conclude(notReplicated());
      this.#change(false);
    }, end - performance.now());
    const waiter: Waiter = {
      sequence,
      conclude: (error) => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    this.#waiters.add(waiter);
    for (const { wake } of this.#deps.replicators) wake();
    await promise;
  }

  /** Ends all waits with an error. */
  release(): void {
    for (const waiter of this.#waiters) waiter.conclude(notReplicated());
  }

  #advance(sequence: number): void {
    if (sequence <= this.#reached) return;
    this.#reached = sequence;
    for (const waiter of this.#waiters) if (waiter.sequence <= sequence) waiter.conclude();
    this.#change(true);
  }

  #change(isAvailable: boolean): void {
    if (this.#isReported && this.#isAvailable === isAvailable) return;
    this.#isReported = true;
    this.#isAvailable = isAvailable;
    this.#deps.onChange(isAvailable);
  }
}

function notReplicated(): SealbookError {
  return unavailable("the proof stays in the journal of this server; send it again");
}

function unavailable(consequence: string): SealbookError {
  return new SealbookError(
    "journal_unavailable",
    `no replica has taken the newest entries of the journal, which REPLICA_MODE=sync requires; ${consequence}`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
