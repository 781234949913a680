import type { Clock } from "../../kit/time.ts";
import { readHead } from "../entries/journal-rows.ts";
import type { Findings } from "../findings/findings.ts";
import { causeOf, RECORD_INDEX } from "../findings/subject.ts";
import { NOTHING_SETTLED } from "../integrity/head-file.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { anchorFinding } from "./anchor-rows.ts";
import { ChainAnchors, type ChainAnchorsDeps } from "./chain-anchors.ts";
import type { ConfirmationCheck, Results } from "./confirmations.ts";
import type { Repairs } from "./repairs.ts";
import { type Replica, replicaDifference } from "./replica-check.ts";
import { findBeyond, JournalWalk, type WalkDeps, type WalkedPage } from "./walk.ts";

export interface CompleteCheckDeps extends ChainAnchorsDeps {
  readonly key: JournalKey;
  readonly findings: Findings;
  /** Those of the leader; others only look. */
  readonly repairs: Repairs | undefined;
  /** Those that the leader writes. */
  readonly replicas: readonly Replica[];
  /** Checks the record index, which tells the findings itself. */
  readonly checkRecords: (isStopped: () => boolean) => Promise<void>;
  readonly clock: Clock;
  /** Called when a replica cannot be compared. */
  readonly onFailure: (what: string, error: unknown) => void;
}

/** Where a check is, and what is to be compared with the chain. */
interface Progress {
  readonly walk: JournalWalk;
  readonly pages: AsyncGenerator<WalkedPage>;
  page: WalkedPage | undefined;
}

/** Compares everything: what is not found any more is over. */
export class CompleteCheck {
  readonly #deps: CompleteCheckDeps;
  readonly #confirmations: ConfirmationCheck;
  readonly #results: Results;
  readonly #isStopped: () => boolean;
  /** Of a check that runs, or continues when the chain responds again. */
  #progress: Progress | undefined;

  constructor(deps: CompleteCheckDeps, confirmations: ConfirmationCheck, results: Results, isStopped: () => boolean) {
    this.#deps = deps;
    this.#confirmations = confirmations;
    this.#results = results;
    this.#isStopped = isStopped;
  }

  /**
   * Checks everything, or continues a check that the chain has interrupted.
   * @throws SealbookError `chain_unavailable`: then it continues with the next call
   */
  async run(): Promise<void> {
    const { findings, replicas, clock } = this.#deps;
    const progress = (this.#progress ??= await this.#begin());
    if (!(await this.#walk(progress))) return;
    for (const { id, first, fault } of await progress.walk.lostAnchors())
      this.#results.found(anchorFinding(id, first, fault));
    await findBeyond(this.#walkDeps(), progress.walk.at);
    await new ChainAnchors(this.#deps).run(findings.journalDiverged, this.#isStopped);
    await this.#checkRecords();
    this.#keepOtherReplicas();
    for (const replica of replicas) if (!this.#isStopped()) await this.#checkReplica(replica);
    if (this.#isStopped()) return;
    this.#progress = undefined;
    findings.endCheck(clock());
  }

  async #begin(): Promise<Progress> {
    this.#deps.findings.beginCheck();
    const walk = new JournalWalk(this.#walkDeps(), NOTHING_SETTLED);
    return { walk, pages: walk.to(await readHead(this.#deps.database)), page: undefined };
  }

  /** @returns whether it has come to the end */
  async #walk(progress: Progress): Promise<boolean> {
    while (!this.#isStopped()) {
      progress.page ??= await this.#nextPage(progress);
      if (progress.page === undefined) return true;
      await this.#deps.repairs?.writeKeys(progress.page.unfound);
      await this.#confirmations.compare(progress.page.confirmations, this.#results);
      progress.page = undefined;
    }
    return false;
  }

  async #nextPage({ pages }: Progress): Promise<WalkedPage | undefined> {
    try {
      const { value, done } = await pages.next();
      return done === true ? undefined : value;
    } catch (error) {
      this.#progress = undefined;
      throw error;
    }
  }

  #walkDeps(): WalkDeps {
    const { database, key } = this.#deps;
    return { database, key, onFinding: this.#results.found };
  }

  /** Only the leader compares replicas, those that it writes. */
  #keepOtherReplicas(): void {
    const { findings, repairs } = this.#deps;
    if (repairs !== undefined) return;
    for (const { subject } of findings.open) if (causeOf(subject) === "replica") findings.keep(subject);
  }

  async #checkRecords(): Promise<void> {
    const { findings, checkRecords, onFailure } = this.#deps;
    try {
      await checkRecords(this.#isStopped);
    } catch (error) {
      findings.keep(RECORD_INDEX);
      if (!this.#isStopped()) onFailure("record index", error);
    }
  }

  async #checkReplica(replica: Replica): Promise<void> {
    const { database, key, findings, onFailure } = this.#deps;
    const subject = `replica ${replica.name}`;
    try {
      const difference = await replicaDifference(database, key, replica, this.#isStopped);
      if (difference !== undefined) findings.journalDiverged(subject, difference);
    } catch (error) {
      findings.keep(subject);
      if (!this.#isStopped()) onFailure(subject, error);
    }
  }
}
