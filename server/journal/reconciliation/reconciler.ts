import type { ReconciliationStore } from "./divergence.ts";
import { type Clock, every, type Interval, millisecondsSince } from "../../kit/time.ts";
import type { EntryVerifier } from "../entries/verified-entries.ts";
import type { AnchorCheck } from "./anchor-check.ts";
import type { ConfirmationCheck } from "./confirmation-check.ts";
import type { EntryCheck } from "./entry-check.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";
import type { LeafCheck } from "./leaf-check.ts";
import type { Replica, ReplicaCheck } from "./replica-check.ts";

/** Interval of the checks whether a pass is due. */
const CHECK_MILLISECONDS = 1_000;
/** While a divergence is open, one pass in this many is a full one, so that its end is detected soon. */
const PASSES_PER_FULL_PASS = 10;

export interface ReconcilerRules {
  /** Interval of passes over new entries and blocks. */
  readonly intervalMilliseconds: number;
  /** Interval of full passes. */
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
  readonly divergences: DivergenceTracker;
  readonly verifier: Pick<EntryVerifier, "begin">;
  readonly rules: ReconcilerRules;
  readonly clock: Clock;
  /** Called when a pass fails, once until a pass succeeds. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Compares journal, replicas and chain: new entries and blocks at a short interval, everything at a long one. Corrects
 * lost or moved confirmations; any other difference is a divergence until a pass no longer finds it.
 */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  #interval: Interval | undefined;
  #stopped = false;
  #failing = false;

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
  }

  /** Starts the passes; the divergences are loaded. */
  start(): void {
    const { intervalMilliseconds } = this.#deps.rules;
    this.#interval = every(Math.min(CHECK_MILLISECONDS, intervalMilliseconds), () => this.#passIfDue());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#interval?.stop();
  }

  async #passIfDue(): Promise<void> {
    try {
      const { store, divergences, verifier, clock, rules } = this.#deps;
      await divergences.refresh(verifier.begin());
      if (divergences.needsFullPass) return await this.pass(true);
      const { passedAt, fullPassedAt } = await store.progress();
      const now = clock();
      if (passedAt !== undefined && millisecondsSince(passedAt, now) < rules.intervalMilliseconds) return;
      const { intervalMilliseconds, fullIntervalMilliseconds } = rules;
      const fullAfter = divergences.any
        ? Math.min(PASSES_PER_FULL_PASS * intervalMilliseconds, fullIntervalMilliseconds)
        : fullIntervalMilliseconds;
      await this.pass(fullPassedAt === undefined || millisecondsSince(fullPassedAt, now) >= fullAfter);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#deps.onFailure(error);
      this.#failing = true;
    }
  }

  /** @param isFull Whether to compare everything, or only new entries and blocks */
  async pass(isFull: boolean): Promise<void> {
    const { store, confirmations, anchors, entries, leaves, replica, replicas, divergences, clock } = this.#deps;
    const before = await store.progress();
    const isStopped = (): boolean => this.#stopped;
    if (!isFull && (await confirmations.newestChanged())) return this.pass(true);
    divergences.begin();
    const confirmation = await confirmations.run(isFull ? 0 : before.confirmation, isStopped);
    const block = await anchors.run(isFull ? undefined : before.block, isStopped);
    if (isFull) {
      await entries.run(isStopped);
      await leaves.run(isStopped);
      for (const each of replicas) await replica.run(each, isStopped);
    }
    if (this.#stopped) return;
    if (isFull) await divergences.end();
    const now = clock();
    await store.save({ confirmation, block, passedAt: now, fullPassedAt: isFull ? now : before.fullPassedAt });
  }
}
