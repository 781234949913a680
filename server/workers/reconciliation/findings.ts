import { type ReconciliationStore, type Subject, subjectText } from "../../domain/journal/reconciliation.ts";
import type { Clock, Telemetry } from "../../domain/ports.ts";

/** What a pass finds: kept, and told once each. */
export class Findings {
  readonly #store: Pick<ReconciliationStore, "raise" | "resolve" | "divergences">;
  readonly #telemetry: Telemetry;
  readonly #clock: Clock;
  /** Subjects found at fault since the pass began. */
  readonly #found = new Set<string>();

  constructor(store: ReconciliationStore, telemetry: Telemetry, clock: Clock) {
    this.#store = store;
    this.#telemetry = telemetry;
    this.#clock = clock;
  }

  /** Has what was found by an earlier process count again. */
  async recall(): Promise<void> {
    for (const { subject, message } of await this.#store.divergences()) this.#telemetry.journalDiverged(subject, message);
  }

  async diverged(subject: Subject, message: string): Promise<void> {
    const text = subjectText(subject);
    this.#found.add(text);
    await this.#store.raise({ subject: text, message, foundAt: this.#clock() });
    this.#telemetry.journalDiverged(text, message);
  }

  async agreed(subject: Subject): Promise<void> {
    await this.#resolve(subjectText(subject));
  }

  repaired(message: string): void {
    this.#telemetry.journalRepaired(message);
  }

  begin(): void {
    this.#found.clear();
  }

  /** After a pass over everything: what it did not find is over. */
  async end(): Promise<void> {
    for (const { subject } of await this.#store.divergences()) if (!this.#found.has(subject)) await this.#resolve(subject);
  }

  async #resolve(subject: string): Promise<void> {
    await this.#store.resolve(subject);
    this.#telemetry.journalAgreed(subject);
  }
}
