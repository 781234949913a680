import { SealbookError } from "../../errors.ts";
import type { EntryVerifier } from "../entries/verified-entries.ts";
import {
  acknowledgedText,
  type Divergence,
  type ReconciliationStore,
  type Subject,
  subjectText,
} from "./divergence.ts";
import type { Clock } from "../../kit/clock.ts";
import type { JournalEvents } from "../events.ts";

/**
 * Tracks open divergences: stores each one until it is resolved and emits it once, whichever relayer holds the lease.
 */
export class DivergenceTracker {
  readonly #store: Pick<ReconciliationStore, "raise" | "resolve" | "divergences" | "noticesAfter">;
  readonly #verifier: Pick<EntryVerifier, "begin">;
  readonly #telemetry: JournalEvents;
  readonly #clock: Clock;
  /** Subjects of the open divergences that this process has loaded. */
  readonly #open = new Set<string>();
  /** Subjects of the divergences that the current pass found. */
  readonly #found = new Set<string>();
  /** Divergences that entries of the journal acknowledge. */
  readonly #acknowledged = new Set<string>();
  #newestNotice = 0;

  constructor(
    store: Pick<ReconciliationStore, "raise" | "resolve" | "divergences" | "noticesAfter">,
    verifier: Pick<EntryVerifier, "begin">,
    telemetry: JournalEvents,
    clock: Clock,
  ) {
    this.#store = store;
    this.#verifier = verifier;
    this.#telemetry = telemetry;
    this.#clock = clock;
  }

  /** Whether a divergence is open. */
  get any(): boolean {
    return this.#open.size > 0;
  }

  /** Loads the divergences that an earlier process or another relayer raised or resolved. */
  async refresh(): Promise<void> {
    await this.#readAcknowledged();
    const kept: Divergence[] = [];
    for (const divergence of await this.#store.divergences()) {
      if (this.#acknowledged.has(acknowledgedText(divergence))) await this.#store.resolve(divergence.subject);
      else kept.push(divergence);
    }
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
    if (this.#acknowledged.has(acknowledgedText({ subject: text, message }))) return false;
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

  /** Reads the newer acknowledgements; one that is not in the chain of digests does not count. */
  async #readAcknowledged(): Promise<void> {
    const sequences = await this.#store.noticesAfter(this.#newestNotice);
    const entries = this.#verifier.begin();
    for (const sequence of sequences) {
      const entry = await entries.entry(sequence).catch(damaged);
      if (entry?.kind === "resolution") this.#acknowledged.add(entry.divergence);
      this.#newestNotice = sequence;
    }
  }

  async #resolve(subject: string): Promise<void> {
    // Most subjects have no divergence and need no write.
    if (!this.#open.has(subject)) return;
    const isNew = await this.#store.resolve(subject);
    this.#open.delete(subject);
    this.#telemetry.divergenceResolved(subject, isNew);
  }
}

function damaged(error: unknown): undefined {
  if (error instanceof SealbookError && error.code === "journal_damaged") return undefined;
  throw error;
}
