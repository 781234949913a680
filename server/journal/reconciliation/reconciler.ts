import type { ReconciliationStore } from "./divergence.ts";
import type { Clock } from "../../kit/clock.ts";
import type { AnchorCheck } from "./anchor-check.ts";
import type { ConfirmationCheck } from "./confirmation-check.ts";
import type { EntryCheck } from "./entry-check.ts";
import type { Findings } from "./findings.ts";
import type { LeafCheck } from "./leaf-check.ts";
import type { Replica, ReplicaCheck } from "./replica-check.ts";

/** How long a relayer has its turn before another one may take it: longer than it goes without saying so again. */
const TURN_MILLISECONDS = 120_000;
const LOOK_MILLISECONDS = 1_000;
/** While something is at fault everything is compared each time in so many, so that it is soon seen to be over. */
const PASSES_AT_FAULT = 10;

export interface ReconcilerRules {
  /** Between passes over what is new. */
  readonly intervalMilliseconds: number;
  /** Between passes over everything. */
  readonly fullIntervalMilliseconds: number;
}

export interface ReconcilerDeps {
  readonly store: ReconciliationStore;
  readonly confirmations: ConfirmationCheck;
  readonly anchors: AnchorCheck;
  readonly replicas: readonly Replica[];
  readonly replica: ReplicaCheck;
  readonly entries: EntryCheck;
  readonly leaves: LeafCheck;
  readonly findings: Findings;
  readonly rules: ReconcilerRules;
  readonly clock: Clock;
  /** Told when a pass could not be ended, once until one is. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Compares journal, replicas and chain, regularly what is new, and more rarely everything. What can be mended is
 * mended and told; what cannot is a divergence until it is over.
 */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #stopped = false;
  #failing = false;

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    await this.#deps.findings.refresh();
    this.#timer = setInterval(
      () => {
        this.#work ??= this.#passIfDue().finally(() => (this.#work = undefined));
      },
      Math.min(LOOK_MILLISECONDS, this.#deps.rules.intervalMilliseconds),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#work;
  }

  async #passIfDue(): Promise<void> {
    try {
      const { store, findings, clock, rules } = this.#deps;
      await findings.refresh();
      const { passedAt, fullPassedAt } = await store.progress();
      const now = clock();
      if (passedAt !== undefined && now - passedAt < rules.intervalMilliseconds) return;
      if (!(await store.takeTurn(now, now + TURN_MILLISECONDS))) return;
      const atFault = findings.any ? PASSES_AT_FAULT * rules.intervalMilliseconds : rules.fullIntervalMilliseconds;
      await this.pass(
        fullPassedAt === undefined || now - fullPassedAt >= Math.min(atFault, rules.fullIntervalMilliseconds),
      );
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#deps.onFailure(error);
      this.#failing = true;
    }
  }

  /** @param isFull Whether everything is compared, or what is new */
  async pass(isFull: boolean): Promise<void> {
    const { store, confirmations, anchors, entries, leaves, replica, replicas, findings, clock } = this.#deps;
    const before = await store.progress();
    const isStopped = (): boolean => this.#stopped;
    if (!isFull && (await confirmations.newestChanged())) return this.pass(true);
    findings.begin();
    const turn = setInterval(
      () => void store.takeTurn(clock(), clock() + TURN_MILLISECONDS).catch(() => undefined),
      TURN_MILLISECONDS / 4,
    );
    try {
      const confirmation = await confirmations.run(isFull ? 0 : before.confirmation, isStopped);
      const block = await anchors.run(isFull ? undefined : before.block, isStopped);
      await entries.run(isFull, isStopped);
      if (isFull) {
        await leaves.run(isStopped);
        for (const each of replicas) await replica.run(each, isStopped);
      }
      if (this.#stopped) return;
      if (isFull) await findings.end();
      const now = clock();
      await store.save({ confirmation, block, passedAt: now, fullPassedAt: isFull ? now : before.fullPassedAt });
    } finally {
      clearInterval(turn);
    }
  }
}
