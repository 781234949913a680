import { type ReconciliationStore, type Subject, subjectText } from "./divergence.ts";
import type { Clock } from "../../kit/clock.ts";
import type { JournalEvents } from "../events.ts";

/** What passes find: kept until it is over, and told once each, whichever relayer has its turn. */
export class DivergenceTracker {
  readonly #store: Pick<ReconciliationStore, "raise" | "resolve" | "divergences">;
  readonly #telemetry: JournalEvents;
  readonly #clock: Clock;
  /** Subjects that are at fault, as far as it is known here. */
  readonly #open = new Set<string>();
  /** Subjects found at fault since the pass began. */
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

  /** Whether anything is at fault. */
  get any(): boolean {
    return this.#open.size > 0;
  }

  /** Takes over what an earlier process or another relayer found, or saw to be over. */
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

  /** @returns whether nobody knew */
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

  /** After a pass over everything: what it did not find is over. */
  async end(): Promise<void> {
    for (const subject of this.#open) if (!this.#found.has(subject)) await this.#resolve(subject);
  }

  async #resolve(subject: string): Promise<void> {
    // What is not at fault is most of it, and needs no write.
    if (!this.#open.has(subject)) return;
    const isNew = await this.#store.resolve(subject);
    this.#open.delete(subject);
    this.#telemetry.divergenceResolved(subject, isNew);
  }
}
