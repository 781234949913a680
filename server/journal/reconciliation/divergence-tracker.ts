import { SealbookError } from "../../errors.ts";
import type { VerifiedEntries } from "../entries/verified-entries.ts";
import {
  acknowledgedText,
  causeOf,
  type Divergence,
  HISTORY_CAUSES,
  isAcknowledgeable,
  isCompared,
  OpenDivergences,
  type ReconciliationStore,
  type Subject,
  subjectText,
} from "./divergence.ts";
import type { Clock } from "../../kit/time.ts";
import type { JournalEvents } from "../events.ts";

/** Alerts can have any of these causes from before this start. */
const CAUSES = [...HISTORY_CAUSES, "replica", "proof", "root", "transaction"];
const AGREES = "journal, replicas and chain agree again";

/**
 * Tracks the open divergences that any part finds: stores each one until it is resolved and emits it once.
 * One that cannot be stored is stored later.
 */
export class DivergenceTracker implements Pick<JournalEvents, "journalDiverged" | "divergenceResolved"> {
  readonly #store: Pick<ReconciliationStore, "raise" | "resolve" | "divergences" | "resolutionsAfter">;
  readonly #telemetry: JournalEvents;
  readonly #clock: Clock;
  /** The open divergences that this process has loaded. */
  readonly #open = new OpenDivergences();
  /** Subjects of the divergences that the current pass found or could not check. */
  readonly #found = new Set<string>();
  /** Subjects of the divergences that checks of this process found, until they are resolved. */
  readonly #own = new Set<string>();
  /** Divergences that entries of the journal acknowledge. */
  readonly #acknowledged = new Set<string>();
  readonly #unsaved = new Map<string, Divergence>();
  /** Compared divergences of the history whose rows were deleted: only a full pass of this process resolves them. */
  readonly #deleted = new Set<string>();
  #newestResolution = 0;
  #isLoaded = false;
  /** Reports of requests, one after the other. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(
    store: Pick<ReconciliationStore, "raise" | "resolve" | "divergences" | "resolutionsAfter">,
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

  /** Whether the database lost a divergence of the history that this process has to check itself. */
  get needsFullPass(): boolean {
    return this.#deleted.size > 0;
  }

  /**
   * Asserts that nothing is known that the journal's history lacks or has changed. To be called before each signature.
   * @throws SealbookError `journal_damaged` that names an open divergence
   */
  assertIntact(): void {
    for (const cause of HISTORY_CAUSES) {
      const message = this.#open.textOf(cause);
      if (message === undefined) continue;
      throw new SealbookError(
        "journal_damaged",
        `${message}. Nothing is signed while this divergence is open: restore the journal, or acknowledge it with ` +
          "`npx sealbook journal resolve`",
      );
    }
  }

  /** Whether a subject has an open divergence. */
  has(subject: string): boolean {
    return this.#open.has(subject);
  }

  /** The open divergences, with their messages. */
  get open(): readonly Pick<Divergence, "subject" | "message">[] {
    return this.subjects.map((subject) => ({ subject, message: this.#open.messageOf(subject) ?? "" }));
  }

  /** The subjects of the open divergences. */
  get subjects(): readonly string[] {
    return [...this.#open.subjects()];
  }

  /** Waits until every report is stored. */
  async stop(): Promise<void> {
    await this.#work;
  }

  /** Reports a divergence that a request found. */
  readonly journalDiverged = (subject: string, message: string): void => {
    if (this.#isKnown(subject, message)) return;
    const raised = this.#raise(subject, message);
    this.#work = this.#work.then(() => raised);
  };

  /** Reports that a subject agrees. */
  readonly divergenceResolved = (subject: string): void => {
    if (!this.#open.has(subject)) return;
    // A failure leaves it open; a later check ends it.
    this.#work = this.#work.then(() => this.#resolve(subject)).catch(() => undefined);
  };

  /**
   * Loads the divergences that an earlier process raised, or a command resolved.
   * @param entries Reads acknowledgements: one that is not in the chain of digests does not count
   */
  async refresh(entries: Pick<VerifiedEntries, "entry" | "newest">): Promise<void> {
    await this.readAcknowledged(entries);
    await this.#work;
    for (const divergence of this.#unsaved.values()) {
      await this.#store.raise(divergence);
      this.#unsaved.delete(divergence.subject);
    }
    const open: Divergence[] = [];
    for (const divergence of await this.#store.divergences()) {
      if (this.isAcknowledged(divergence)) await this.#store.resolve(divergence.subject);
      else open.push(divergence);
    }
    for (const { subject, message } of open) {
      if (this.#open.add(subject, message)) this.#telemetry.journalDiverged(subject, message);
    }
    const subjects = new Set(open.map(({ subject }) => subject));
    for (const subject of this.subjects) {
      if (subjects.has(subject) || this.#unsaved.has(subject)) continue;
      const message = this.#open.messageOf(subject) ?? "";
      const isChecked = isCompared(subject) || this.#own.has(subject);
      if (HISTORY_CAUSES.includes(causeOf(subject)) && isChecked && !this.isAcknowledged({ subject, message })) {
        // A command resolved it, or an administrator of the database deleted it.
        if (isCompared(subject)) this.#deleted.add(subject);
        this.#unsaved.set(subject, { subject, message, foundAt: this.#clock() });
        continue;
      }
      this.#open.delete(subject);
      this.#telemetry.divergenceResolved(subject);
    }
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    for (const cause of CAUSES) if (this.#open.countOf(cause) === 0) this.#telemetry.divergenceResolved(cause);
  }

  /** @returns whether the divergence is new */
  async diverged(subject: Subject, message: string): Promise<boolean> {
    const text = subjectText(subject);
    if (this.isAcknowledged({ subject: text, message })) return false;
    this.#found.add(text);
    this.#own.add(text);
    return this.#isKnown(text, message) ? false : this.#raise(text, message);
  }

  /** Keeps the divergence of a subject that a full pass could not check. */
  unchecked(subject: Subject): void {
    this.#found.add(subjectText(subject));
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
    for (const subject of this.subjects)
      if (isCompared(subject) && !this.#found.has(subject)) await this.#resolve(subject);
    this.#deleted.clear();
  }

  #isKnown(subject: string, message: string): boolean {
    return this.#open.has(subject) || this.isAcknowledged({ subject, message });
  }

  /** Whether an operator has acknowledged a divergence with this message. */
  isAcknowledged(divergence: Pick<Divergence, "subject" | "message">): boolean {
    return isAcknowledgeable(divergence.subject) && this.#acknowledged.has(acknowledgedText(divergence));
  }

  /** @returns whether no other process has raised it */
  async #raise(subject: string, message: string): Promise<boolean> {
    this.#open.add(subject, message);
    this.#telemetry.journalDiverged(subject, message);
    const isFirst = this.#open.countOf(causeOf(subject)) === 1;
    const divergence = { subject, message, foundAt: this.#clock() };
    let isNew = true;
    try {
      isNew = await this.#store.raise(divergence);
    } catch {
      this.#unsaved.set(subject, divergence);
    }
    if (isNew && isFirst) this.#telemetry.divergenceAnnounced("warn", message);
    return isNew;
  }

  async #resolve(subject: string): Promise<void> {
    this.#own.delete(subject);
    // Most subjects have no divergence and need no write.
    if (!this.#open.has(subject)) return;
    const isNew = await this.#store.resolve(subject);
    this.#open.delete(subject);
    this.#unsaved.delete(subject);
    this.#deleted.delete(subject);
    this.#telemetry.divergenceResolved(subject);
    const cause = causeOf(subject);
    if (isNew && this.#open.countOf(cause) === 0) this.#telemetry.divergenceAnnounced("info", `${cause}: ${AGREES}`);
  }

  /** Reads which divergences operators have acknowledged since the last time. */
  async readAcknowledged(entries: Pick<VerifiedEntries, "entry" | "newest">): Promise<void> {
    // Nothing counts in a journal that does not continue what was seen; later it may be accepted.
    if ((await entries.newest().catch(damaged)) === undefined) return;
    for (const sequence of await this.#store.resolutionsAfter(this.#newestResolution)) {
      const entry = await entries.entry(sequence).catch(damaged);
      if (entry?.kind === "resolution") this.#acknowledged.add(entry.divergence);
      this.#newestResolution = sequence;
    }
  }
}

function damaged(error: unknown): undefined {
  if (error instanceof SealbookError && error.code === "journal_damaged") return undefined;
  throw error;
}
