import { type ReconciliationStore, type Subject, subjectText } from "./divergence.ts";
import type { Clock } from "../../kit/clock.ts";
import type { JournalEvents } from "../events.ts";

/**
 * Tracks open divergences: stores each one until it is resolved and emits it once, whichever relayer holds the lease.
 */
export class DivergenceTracker {
  readonly #store: Pick<ReconciliationStore, "raise" | "resolve" | "divergences">;
  readonly #telemetry: JournalEvents;
  readonly #clock: Clock;
  /** Subjects of the open divergences that this process has loaded. */
  readonly #open = new Set<string>();
  /** Subjects of the divergences that the current pass found. */
  readonly #found = new Set<string>();

  constructor(
    store: Pick<ReconciliationStore, "raise" | "resolve" | "divergences">,
    telemetry: JournalEvents,
    clock: Clock,
  ) {
    this.#store = store;
    this.#telemetry = telemetry;
    this.#clock = clock;
  }

  /** Whether a divergence is open. */
  get any(): boolean {
    return this.#open.size > 0;
  }

  /** Loads the divergences that an earlier process or another relayer raised or resolved. */
  async refresh(): Promise<void> {
    const kept = await this.#store.divergences();
    for (const { subject, message } of kept) {
      if (!this.#open.has(subject)) this.#telemetry.journalDiverged(subject, message, false);
      this.#open.add(subject);
    }
    const subjects = new Set(kept.map(({ subject }) => subject));
    for (const subject of this.#open) {
      if (subjects.has(subject)) continue;
      this.#open.delete(subject);
      this.#telemetry.divergenceResolved(subject, false);
    }
  }

  /** @returns whether the divergence is new */
  async diverged(subject: Subject, message: string): Promise<boolean> {
    const text = subjectText(subject);
    this.#found.add(text);
    if (this.#open.has(text)) return false;
    const isNew = await this.#store.raise({ subject: text, message, foundAt: this.#clock() });
    this.#open.add(text);
    this.#telemetry.journalDiverged(text, message, isNew);
    return isNew;
  }

  async resolved(subject: Subject): Promise<void> {
    await this.#resolve(subjectText(subject));
  }

  corrected(message: string): void {
    this.#telemetry.journalCorrected(message);
  }

  begin(): void {
    this.#found.clear();
  }

  /** Ends a full pass: resolves the divergences that it did not find. */
  async end(): Promise<void> {
    for (const subject of this.#open) if (!this.#found.has(subject)) await this.#resolve(subject);
  }

  async #resolve(subject: string): Promise<void> {
    // Most subjects have no divergence and need no write.
    if (!this.#open.has(subject)) return;
    const isNew = await this.#store.resolve(subject);
    this.#open.delete(subject);
    this.#telemetry.divergenceResolved(subject, isNew);
  }
}
