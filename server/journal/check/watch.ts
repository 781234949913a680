import { hasRowTo } from "../entries/continued.ts";
import { readHead } from "../entries/journal-rows.ts";
import { causeOf, headOf } from "../findings/subject.ts";
import { NOTHING_SETTLED, type SettledHead } from "../integrity/head-file.ts";
import { type JournalMemory, notContinued } from "../integrity/memory.ts";
import { every, type Interval, millisecondsSince } from "../../kit/time.ts";
import { anchorFinding, type ReadConfirmation } from "./anchor-rows.ts";
import { ChainAnchors } from "./chain-anchors.ts";
import { CompleteCheck, type CompleteCheckDeps } from "./complete-check.ts";
import { ConfirmationCheck, type ConfirmationCheckDeps, type Results, resultsInto } from "./confirmations.ts";
import type { Finding } from "./finding.ts";
import { JournalWalk } from "./walk.ts";

/** While a divergence is open, everything is compared after this many comparisons: its end is found soon. */
const COMPARISONS_PER_CHECK = 10;
/** Interval of the looks whether a comparison is due. */
const LOOK_MILLISECONDS = 1_000;
/** Confirmations that wait to be compared with the chain; the next complete check compares further ones. */
const MOST_UNCOMPARED = 10_000;
const COMPARED_AT_ONCE = 256;
const PROGRESS_MILLISECONDS = 10_000;

export interface WatchRules {
  /** Interval of comparisons of what is new. */
  readonly intervalMilliseconds: number;
  /** Interval of complete checks. */
  readonly completeIntervalMilliseconds: number;
}

export interface JournalWatchDeps extends CompleteCheckDeps, ConfirmationCheckDeps {
  readonly memory: JournalMemory;
  readonly chain: CompleteCheckDeps["chain"] & ConfirmationCheckDeps["chain"];
  /** Name of the relayer whose memory it is. */
  readonly relayer: string;
  /** Names of all relayers: what others have seen is of no interest any more. */
  readonly relayers: readonly string[];
  readonly rules: WatchRules;
  /** Reads what operators have acknowledged. */
  readonly readAcknowledged: () => Promise<void>;
  /** Called when something cannot be compared, once until it can. */
  readonly onFailure: (what: string, error: unknown) => void;
  /** Called every few seconds of a long comparison with the entry that was reached and the newest one. */
  readonly onProgress: (reached: number, newest: number) => void;
}

/**
 * Checks the journal while the server runs: what is new at a short interval, from where the last comparison stopped,
 * and everything at a long one. Each relayer does so by its own clock, and keeps what it has seen and found in its own
 * folder.
 */
export class JournalWatch {
  readonly #deps: JournalWatchDeps;
  readonly #confirmations: ConfirmationCheck;
  readonly #results: Results;
  readonly #complete: CompleteCheck;
  #anchors: ChainAnchors | undefined;
  /** Continues from one comparison to the next. */
  #walk: JournalWalk | undefined;
  /** Whether the rows that it has read since are as relayers have written them. */
  #isSound = true;
  #uncompared: ReadConfirmation[] = [];
  /** Where a walk begins that reads them. */
  #uncomparedFrom: SettledHead = NOTHING_SETTLED;
  #intervals: readonly Interval[] = [];
  #first: Promise<void> | undefined;
  #hasFollowed = false;
  #isFollowing = false;
  #isStopped = false;
  #comparedAt: number | undefined;
  /** What waited when the journal was followed last, by its entries. */
  #pending: { readonly since: number; readonly followedAt: number } | undefined;
  readonly #failing = new Set<string>();

  constructor(deps: JournalWatchDeps) {
    this.#deps = deps;
    this.#confirmations = new ConfirmationCheck(deps);
    this.#results = resultsInto(deps.findings);
    this.#complete = new CompleteCheck(deps, this.#confirmations, this.#results, () => this.#isStopped);
  }

  /** Whether the journal was followed to its end since the start. */
  get hasFollowed(): boolean {
    return this.#hasFollowed;
  }

  /** When journal and chain were last compared, Unix milliseconds. */
  get comparedAt(): number | undefined {
    return this.#comparedAt;
  }

  /**
   * Returns when the oldest proof was accepted that had waited for its confirmation longer than a limit when the
   * journal was followed last. The entries say it: no other table has a say.
   * @returns Unix milliseconds; `undefined` when none had
   */
  lateSince(limitMilliseconds: number): number | undefined {
    if (this.#pending === undefined) return undefined;
    const { since, followedAt } = this.#pending;
    return followedAt - since > limitMilliseconds ? since : undefined;
  }

  /**
   * Starts the comparisons.
   * @param isLeader The journal is followed first, so that nothing is appended or signed before
   * @throws SealbookError when a leader cannot follow it; Error after {@link abandon}
   */
  async start(isLeader: boolean): Promise<void> {
    const { findings, relayers, rules } = this.#deps;
    const { intervalMilliseconds } = rules;
    const heads = relayers.map(headOf);
    for (const { subject } of findings.open)
      if (causeOf(subject) === "head" && !heads.includes(subject)) findings.divergenceResolved(subject);
    // What was repaired while no server ran has ended.
    findings.checkOpenSoon();
    if (!isLeader)
      this.#first = this.#attempt("journal", async () => {
        await this.#follow();
        await this.#confirmations.remember();
      });
    else {
      await this.#follow();
      if (this.#isStopped) throw new Error("the journal was not followed to its end");
      await this.#confirmations.remember();
      // What an entry accepted is anchored, whatever became of its anchor's row.
      await this.#deps.repairs?.openAgain((await this.#walk?.lostAnchors()) ?? []);
    }
    this.#intervals = [
      this.#every(intervalMilliseconds, "journal", () => this.#follow()),
      this.#every(intervalMilliseconds, "chain", () => this.#compare()),
      this.#every(0, "whole journal", () => this.#checkIfDue()),
    ];
  }

  /** Works at an interval, the first time soon. */
  #every(milliseconds: number, what: string, work: () => Promise<void>): Interval {
    let at = -Infinity;
    return every(Math.min(LOOK_MILLISECONDS, this.#deps.rules.intervalMilliseconds), async () => {
      await this.#first;
      if (performance.now() - at < milliseconds) return;
      at = performance.now();
      await this.#attempt(what, work);
    });
  }

  /** Ends a comparison that runs, and does no other one. */
  abandon(): void {
    this.#isStopped = true;
  }

  /** Stops after the newest entry that was seen is in the file; a long comparison that runs ends where it is. */
  async stop(): Promise<void> {
    const { memory, onFailure } = this.#deps;
    const isLast = this.#intervals.length > 0 && !this.#isFollowing && !this.#isStopped;
    this.#isStopped = true;
    await Promise.all(this.#intervals.map((interval) => interval.stop()));
    await this.#first;
    if (isLast) {
      this.#isStopped = false;
      await this.#attempt("journal", () => this.#follow());
      this.#isStopped = true;
    }
    // What this process wrote, it has seen, wherever its last comparison ended.
    await memory.store().catch((error: unknown) => onFailure("journal.head", error));
  }

  async #follow(): Promise<void> {
    this.#isFollowing = true;
    try {
      await this.#followRows();
      if (!this.#isStopped) this.#hasFollowed = true;
    } finally {
      this.#isFollowing = false;
    }
  }

  /** Walks over the entries that are new, if the journal continues what was seen. */
  async #followRows(): Promise<void> {
    const { database, key, memory, findings, relayer, readAcknowledged, onProgress } = this.#deps;
    if (await memory.readFile()) this.#walk = undefined;
    await readAcknowledged();
    const seen = memory.newest;
    if (!(await hasRowTo(database, seen))) {
      findings.journalDiverged(headOf(relayer), notContinued(seen, `the relayer ${relayer}`));
      // It is known after a restart as well.
      await this.#store();
      return;
    }
    findings.divergenceResolved(headOf(relayer));
    this.#isSound = true;
    const onFinding = (finding: Finding): void => {
      this.#isSound &&= finding.kind !== "row_changed" && finding.kind !== "entry_missing";
      this.#results.found(finding);
    };
    this.#walk ??= new JournalWalk({ database, key, onFinding }, memory.settled);
    const walk = this.#walk;
    const head = await readHead(database);
    let reportedAt = performance.now();
    try {
      for await (const { confirmations, unfound } of walk.to(head)) {
        if (this.#isStopped) return;
        // What cannot be written is found again by the next complete check.
        await this.#attempt("index", async () => this.#deps.repairs?.writeKeys(unfound));
        // What is after a changed row is read again.
        if (!this.#isSound) break;
        if (this.#uncompared.length === 0) this.#uncomparedFrom = memory.settled;
        const some = confirmations.slice(0, MOST_UNCOMPARED - this.#uncompared.length);
        if (some.length < confirmations.length) findings.askForCheck();
        this.#uncompared.push(...some);
        // What the chain was not asked about is read again by the next process.
        memory.compared(walk.at, this.#uncompared.length === 0 ? walk.settled : this.#uncomparedFrom);
        await this.#store();
        if (performance.now() - reportedAt < PROGRESS_MILLISECONDS) continue;
        reportedAt = performance.now();
        onProgress(walk.at.sequence, head.sequence);
      }
    } catch (error) {
      this.#walk = undefined;
      throw error;
    }
    const { pendingSince: since } = walk;
    this.#pending = since === undefined ? undefined : { since, followedAt: this.#deps.clock() };
    if (!this.#isSound) this.#walk = undefined;
  }

  /** A full disk ends no comparison. */
  async #store(): Promise<void> {
    await this.#attempt("journal.head", () => this.#deps.memory.store());
  }

  /** Compares what is new with the chain. */
  async #compare(): Promise<void> {
    if (this.#isStopped) return;
    const { findings, memory, clock } = this.#deps;
    for (const { id, first, fault } of (await this.#walk?.lostAnchors()) ?? [])
      this.#results.found(anchorFinding(id, first, fault));
    await this.#confirmations.again(this.#results);
    while (this.#uncompared.length > 0 && !this.#isStopped) {
      const some = this.#uncompared.slice(0, COMPARED_AT_ONCE);
      await this.#confirmations.compare(some, this.#results);
      this.#uncompared = this.#uncompared.slice(some.length);
    }
    // All that the walk has read was compared.
    if (this.#walk !== undefined && this.#uncompared.length === 0 && !this.#isFollowing)
      memory.compared(this.#walk.at, this.#walk.settled);
    this.#anchors ??= new ChainAnchors(this.#deps, findings.block);
    await this.#anchors.run(findings.journalDiverged, () => this.#isStopped);
    findings.block = this.#anchors.reached;
    if (!this.#isStopped) this.#comparedAt = clock();
  }

  async #checkIfDue(): Promise<void> {
    const { findings, clock, rules } = this.#deps;
    const { intervalMilliseconds, completeIntervalMilliseconds } = rules;
    const often = COMPARISONS_PER_CHECK * intervalMilliseconds;
    const after = findings.size > 0 ? Math.min(often, completeIntervalMilliseconds) : completeIntervalMilliseconds;
    const isDue = findings.checkedAt === undefined || millisecondsSince(findings.checkedAt, clock()) >= after;
    if (isDue) await this.#complete.run();
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing.delete(what);
    } catch (error) {
      if (!this.#failing.has(what) && !this.#isStopped) this.#deps.onFailure(what, error);
      this.#failing.add(what);
    }
  }
}
