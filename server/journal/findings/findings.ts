import { SealbookError } from "../../errors.ts";
import type { Database } from "../engine/database.ts";
import type { VerifiedEntries } from "../entries/verified-entries.ts";
import type { JournalEvents } from "../events.ts";
import { equalBytes } from "../../kit/bytes.ts";
import type { ComparedBlock, FindingsFile } from "./findings-file.ts";
import { acknowledgedText, type Divergence, OpenDivergences } from "./open-divergences.ts";
import { causeOf, HISTORY_CAUSES, isAcknowledgeable, isChecked, isOfChain, RECORD_INDEX } from "./subject.ts";

/** Alerts can have any of these causes from before this start. */
const CAUSES = [...HISTORY_CAUSES, "replica", "replication", "proof", "root", "transaction", RECORD_INDEX];
const AGREES = "journal, replicas and chain agree again";
/** Divergences of one cause that are kept: more of them say no more. */
const MOST_OF_CAUSE = 1_000;
const RESOLUTIONS_AT_ONCE = 500;

export interface FindingsDeps {
  readonly file: FindingsFile;
  readonly database: Database;
  readonly telemetry: Pick<JournalEvents, "journalDiverged" | "divergenceResolved" | "divergenceAnnounced">;
  /** Returns the text of the alert about a cause, if one is active. */
  readonly alertOf: (cause: string) => string | undefined;
  /** Called when the file cannot be written; what was found is kept in memory. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The divergences of journal, replicas and chain that this relayer has found: by requests, and by the last complete
 * check, which ends what it does not find. An operator ends some of them with an entry of the journal. They are in a
 * file of the relayer, and emitted once.
 */
export class Findings implements Pick<JournalEvents, "journalDiverged" | "divergenceResolved"> {
  readonly #deps: FindingsDeps;
  readonly #open = new OpenDivergences();
  /** Divergences that entries of the journal acknowledge. */
  readonly #acknowledged = new Set<string>();
  #newestResolution = 0;
  /** Subjects that a complete check which runs may end: it has not found them yet. */
  #unfound: Set<string> | undefined;
  #checkedAt: number | undefined;
  /** Whether another check was asked for during one. */
  #isAsked = false;
  #block: ComparedBlock | undefined;
  /** The first divergence of each cause that was one too many during the check. */
  readonly #refused = new Map<string, Divergence>();
  #writing: Promise<void> | undefined;
  #isChanged = false;

  constructor(deps: FindingsDeps) {
    this.#deps = deps;
  }

  /** Loads what this relayer had found before. */
  async load(): Promise<void> {
    const { file, telemetry, alertOf } = this.#deps;
    const { checkedAt, block, divergences } = await file.read();
    [this.#checkedAt, this.#block] = [checkedAt, block];
    for (const divergence of divergences)
      if (this.#open.add(divergence)) telemetry.journalDiverged(divergence.subject, divergence.message);
    for (const cause of CAUSES) {
      if (this.#open.countOf(cause) > 0) continue;
      // A relayer that led before has found it: it lasts until everything was compared here.
      const message = isChecked(cause) ? alertOf(cause) : undefined;
      if (message === undefined) telemetry.divergenceResolved(cause);
      else {
        this.#checkedAt = undefined;
        this.journalDiverged(cause, message);
      }
    }
  }

  /** Waits until everything is in the file. */
  async stop(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  get size(): number {
    return this.#open.size;
  }

  get open(): readonly Divergence[] {
    return this.#open.all();
  }

  has(subject: string): boolean {
    return this.#open.has(subject);
  }

  hasCause(cause: string): boolean {
    return this.#open.countOf(cause) > 0;
  }

  /** End of the last complete check, Unix milliseconds. */
  get checkedAt(): number | undefined {
    return this.#checkedAt;
  }

  /** The newest block whose anchors were compared with the journal. */
  get block(): ComparedBlock | undefined {
    return this.#block;
  }

  set block(block: ComparedBlock | undefined) {
    if (block?.number === this.#block?.number && equalBytes(block?.hash, this.#block?.hash)) return;
    this.#block = block;
    this.#save();
  }

  /** Has a complete check done soon. */
  askForCheck(): void {
    this.#isAsked = true;
    this.#checkedAt = undefined;
    this.#save();
  }

  /** Has a complete check done soon if something is open that it can end. */
  checkOpenSoon(): void {
    if (this.open.some(({ subject }) => isChecked(subject))) this.askForCheck();
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
        `${message}. Nothing is signed while this divergence is open: ` +
          (isOfChain(cause) ? "after a rollback of the chain it ends by itself; otherwise " : "") +
          "restore the journal" +
          (isAcknowledgeable(cause) ? ", or acknowledge it with `npx sealbook journal resolve`" : ""),
      );
    }
  }

  /**
   * Asserts that the index is not known to miss records. Where it does, what is not found can be recorded.
   * @throws SealbookError `journal_damaged`
   */
  assertFindable(): undefined {
    const message = this.#open.textOf("index");
    if (message !== undefined)
      throw new SealbookError("journal_damaged", `${message}. Until it can, what is not found may be recorded`);
  }

  /** Takes a divergence. */
  readonly journalDiverged = (subject: string, message: string): void => {
    this.#unfound?.delete(subject);
    const cause = causeOf(subject);
    if (this.#open.has(subject) || this.#isAcknowledged({ subject, message })) return;
    if (this.#open.countOf(cause) >= MOST_OF_CAUSE) {
      if (!this.#refused.has(cause)) this.#refused.set(cause, { subject, message });
      return;
    }
    this.#open.add({ subject, message });
    this.#deps.telemetry.journalDiverged(subject, message);
    if (this.#open.countOf(cause) === 1) this.#deps.telemetry.divergenceAnnounced("warn", message);
    this.#save();
  };

  /** Ends the divergence of a subject. */
  readonly divergenceResolved = (subject: string): void => {
    this.#unfound?.delete(subject);
    if (!this.#open.delete(subject)) return;
    this.#deps.telemetry.divergenceResolved(subject);
    const cause = causeOf(subject);
    if (this.#open.countOf(cause) === 0) this.#deps.telemetry.divergenceAnnounced("info", `${cause}: ${AGREES}`);
    this.#save();
  };

  /** Begins a complete check. */
  beginCheck(): void {
    this.#isAsked = false;
    this.#refused.clear();
    this.#unfound = new Set(this.open.flatMap(({ subject }) => (isChecked(subject) ? [subject] : [])));
  }

  /** Keeps a divergence that the check could not look at. */
  keep(subject: string): void {
    this.#unfound?.delete(subject);
  }

  /** Ends a complete check: what it has not found is over. */
  endCheck(now: number): void {
    const over = this.#unfound ?? [];
    this.#unfound = undefined;
    for (const subject of over) this.divergenceResolved(subject);
    const refused = [...this.#refused.values()];
    this.#refused.clear();
    for (const each of refused) this.journalDiverged(each.subject, each.message);
    this.#checkedAt = this.#isAsked ? undefined : now;
    this.#save();
  }

  /**
   * Reads what operators have acknowledged since the last time.
   * @param entries An acknowledgement counts as an entry that a relayer has written
   */
  async readAcknowledged(entries: Pick<VerifiedEntries, "entry" | "newest">): Promise<void> {
    // Nothing counts in a journal that does not continue what was seen; later it may be accepted.
    if ((await entries.newest().catch(damaged)) === undefined) return;
    for (const sequence of await this.#resolutions()) {
      const entry = await entries.entry(sequence).catch(damaged);
      if (entry?.kind === "resolution") this.#acknowledged.add(entry.divergence);
      this.#newestResolution = sequence;
    }
    for (const divergence of this.open)
      if (this.#isAcknowledged(divergence)) this.divergenceResolved(divergence.subject);
  }

  async #resolutions(): Promise<number[]> {
    const rows = await this.#deps.database
      .selectFrom("resolutions")
      .select("sequence")
      .where("sequence", ">", this.#newestResolution)
      .orderBy("sequence")
      .limit(RESOLUTIONS_AT_ONCE)
      .execute();
    return rows.map(({ sequence }) => sequence);
  }

  #isAcknowledged(divergence: Divergence): boolean {
    return isAcknowledgeable(divergence.subject) && this.#acknowledged.has(acknowledgedText(divergence));
  }

  #save(): void {
    this.#isChanged = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    while (this.#isChanged) {
      this.#isChanged = false;
      const content = { checkedAt: this.#checkedAt, block: this.#block, divergences: this.open };
      await this.#deps.file.write(content).catch((error: unknown) => this.#deps.onFailure(error));
    }
  }
}

function damaged(error: unknown): undefined {
  if (error instanceof SealbookError && error.code === "journal_damaged") return undefined;
  throw error;
}
