import { type Clock, every, type Interval } from "../kit/time.ts";
import type { ProofEvents } from "./events.ts";
import type { ProofJournal } from "./proof-store.ts";

const CHECK_MILLISECONDS = 5_000;

export interface AnchorDeadlineDeps {
  readonly journal: { readonly anchors: Pick<ProofJournal["anchors"], "oldestUnconfirmed"> };
  readonly telemetry: Pick<ProofEvents, "anchoringLate" | "anchoringInTime">;
  readonly clock: Clock;
  /** Maximum time that an accepted proof may stay unconfirmed before an event is emitted. */
  readonly deadlineMilliseconds: number;
  /** Since when, in Unix milliseconds, a proof has waited longer than a limit, according to the journal's entries. */
  readonly lateSince: (limitMilliseconds: number) => number | undefined;
}

/** Watches how long accepted proofs have waited for their confirmation. */
export class AnchorDeadline {
  readonly #deps: AnchorDeadlineDeps;
  #interval: Interval | undefined;

  constructor(deps: AnchorDeadlineDeps) {
    this.#deps = deps;
  }

  start(): void {
    const milliseconds = Math.min(CHECK_MILLISECONDS, this.#deps.deadlineMilliseconds);
    // A journal that cannot be read is reported by its writers; the next run tries again.
    this.#interval = every(milliseconds, () => this.#check().catch(() => undefined));
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }

  /** Returns the seconds since the oldest unconfirmed proof was accepted; 0 without one. */
  async oldestSeconds(): Promise<number> {
    const { journal, clock } = this.#deps;
    const oldest = await journal.anchors.oldestUnconfirmed();
    return oldest === undefined ? 0 : Math.max(0, (clock() - oldest) / 1000);
  }

  async #check(): Promise<void> {
    const { telemetry, journal, clock, deadlineMilliseconds, lateSince } = this.#deps;
    const now = clock();
    const oldest = (await journal.anchors.oldestUnconfirmed()) ?? now;
    // Who can write to the database can have an anchor look newer than it is.
    const since = Math.min(oldest, lateSince(deadlineMilliseconds) ?? now);
    if (now - since > deadlineMilliseconds) telemetry.anchoringLate(since);
    else telemetry.anchoringInTime();
  }
}
