import { equalBytes } from "../../kit/bytes.ts";
import { every, type Interval } from "../../kit/time.ts";
import type { JournalSource } from "../entries/entry-source.ts";
import type { JournalHead } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { entryFindingText } from "../check/entry-finding.ts";
import { checkEntries } from "../check/check-entries.ts";
import type { Database } from "../engine/database.ts";
import { type JournalMemory, notContinued } from "../integrity/memory.ts";
import type { Subject } from "./divergence.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";

export interface HeadCheckDeps {
  readonly memory: JournalMemory;
  readonly database: Database;
  readonly key: JournalKey;
  readonly entries: Pick<JournalSource, "head" | "digestAt">;
  readonly divergences: DivergenceTracker;
  /** Address of the relayer whose memory it is. */
  readonly relayer: string;
  readonly intervalMilliseconds: number;
  /** Reads what operators have acknowledged, before a check. */
  readonly readAcknowledged: () => Promise<void>;
  /** Called when a check fails, once until one succeeds. */
  readonly onFailure: (error: unknown) => void;
  /** Called every few seconds of a long check with the numbers of the entry that was reached and of the newest one. */
  readonly onProgress: (reached: number, newest: number) => void;
}

const PROGRESS_MILLISECONDS = 10_000;

/**
 * Checks that the journal continues the newest entry that this relayer has seen, and walks from there over the new
 * ones. A database with an older copy, with another journal or with a rewritten history does not continue it; that
 * divergence ends when it does again, or when an operator accepts the journal on this machine.
 */
export class HeadCheck {
  readonly #deps: HeadCheckDeps;
  readonly #subject: Subject;
  #interval: Interval | undefined;
  #first: Promise<void> | undefined;
  #isChecking = false;
  #isStopped = false;
  #hasFollowed = false;
  /** Whether the last check has written what it reached. */
  #isWritten = true;
  #failing = false;

  constructor(deps: HeadCheckDeps) {
    this.#deps = deps;
    this.#subject = { kind: "head", relayer: deps.relayer };
  }

  /** Whether a check has ended since the start. */
  get hasFollowed(): boolean {
    return this.#hasFollowed;
  }

  /**
   * Starts the checks.
   * @param isLeader The first check is done then, so that nothing is appended or signed before
   * @throws SealbookError when the first check of a leader cannot be done; Error after {@link abandon}
   */
  async start(isLeader: boolean): Promise<void> {
    const { intervalMilliseconds } = this.#deps;
    if (!isLeader) this.#first = this.#attempt();
    else {
      await this.#check();
      if (this.#isStopped) throw new Error("the journal was not followed to its end");
    }
    this.#interval = every(intervalMilliseconds, async () => {
      await this.#first;
      await this.#attempt();
    });
  }

  /** Ends a check that runs, and does no other one. */
  abandon(): void {
    this.#isStopped = true;
  }

  /** Stops after a last check, so that the file has the newest entry; a long one that runs ends where it is. */
  async stop(): Promise<void> {
    this.#isStopped ||= this.#isChecking;
    await this.#interval?.stop();
    await this.#first;
    if (this.#interval !== undefined && !this.#isStopped) await this.#attempt();
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    try {
      await this.#follow();
      if (!this.#isStopped) this.#hasFollowed = true;
    } finally {
      this.#isChecking = false;
    }
  }

  async #follow(): Promise<void> {
    const { memory, database, key, entries, divergences, readAcknowledged, onProgress } = this.#deps;
    this.#isWritten = true;
    await readAcknowledged();
    await memory.readFile();
    const seen = memory.stored;
    try {
      if (!(await this.#isContinued(memory.newest))) return;
      const head = await entries.head();
      let reportedAt = performance.now();
      for await (const page of checkEntries({ database, key, start: seen, head, readsIndex: false })) {
        if (this.#isStopped) return;
        const messages = page.findings.map(entryFindingText);
        const message = messages.find((text) => !divergences.isAcknowledged({ subject: "entries", message: text }));
        if (message !== undefined) return void (await divergences.diverged({ kind: "entries" }, message));
        memory.saw(page.reached);
        await this.#store();
        if (performance.now() - reportedAt < PROGRESS_MILLISECONDS) continue;
        reportedAt = performance.now();
        onProgress(page.reached.sequence, head.sequence);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      await divergences.diverged({ kind: "entries" }, error.message);
    }
  }

  async #isContinued(seen: JournalHead): Promise<boolean> {
    const { entries, divergences, relayer } = this.#deps;
    const isContinued = await continues(entries, seen);
    // It is known after a restart as well.
    if (!isContinued) await this.#store();
    if (isContinued) await divergences.resolved(this.#subject);
    else await divergences.diverged(this.#subject, notContinued(seen, `the relayer ${relayer}`));
    return isContinued;
  }

  /** A full disk ends no check. */
  async #store(): Promise<void> {
    await this.#deps.memory.store().catch((error: unknown) => {
      this.#isWritten = false;
      this.#failed(error);
    });
  }

  async #attempt(): Promise<void> {
    try {
      await this.#check();
      if (this.#isWritten) this.#failing = false;
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.#failing) this.#deps.onFailure(error);
    this.#failing = true;
  }
}

/**
 * Returns whether a journal has an entry with the digest that was seen.
 * @throws RangeError when an entry near it is missing or was changed
 */
export async function continues(entries: Pick<JournalSource, "digestAt">, seen: JournalHead): Promise<boolean> {
  const digest = await entries.digestAt(seen.sequence);
  return digest !== undefined && equalBytes(digest, seen.digest);
}
