import type { AnvilClient } from "./anvil-client.ts";
import type { BlockLog } from "./block-log.ts";
import { reasonOf } from "../../errors.ts";
import type { EventSink } from "./events.ts";
import { saveSnapshot } from "./snapshot-file.ts";

/** How much work a snapshot must spare the next start: at least so long, and so many times what it takes itself. */
interface Rule {
  readonly milliseconds: number;
  readonly times: number;
}

/** While the chain runs the next block waits for it. */
const RUNNING: Rule = { milliseconds: 5_000, times: 10 };
/** At a clean stop only the stop waits. */
const STOPPING: Rule = { milliseconds: 1_000, times: 2 };

/** What a snapshot is taken of. */
export interface SnapshotSource {
  readonly node: AnvilClient;
  readonly log: BlockLog;
}

/** Decides when a snapshot is due and takes it. */
export class SnapshotSchedule {
  readonly #directory: string;
  readonly #emit: EventSink;
  /** What replaying the blocks since the last snapshot would take. */
  #replayMs = 0;
  /** What the last snapshot took. */
  #snapshotMs = 0;

  constructor(directory: string, emit: EventSink) {
    this.#directory = directory;
    this.#emit = emit;
  }

  /** A chain was set up; that took so long after the snapshot it began with. */
  begin(replayMs: number): void {
    this.#replayMs = replayMs;
  }

  /** Counts a block and takes a snapshot when one is due; the next block waits for it. */
  afterBlock(source: SnapshotSource, workMs: number): Promise<void> {
    this.#replayMs += workMs;
    return this.#takeWhenDue(source, RUNNING);
  }

  /** Takes a snapshot before a clean stop when that spares the next start work. */
  atStop(source: SnapshotSource): Promise<void> {
    return this.#takeWhenDue(source, STOPPING);
  }

  async #takeWhenDue({ node, log }: SnapshotSource, rule: Rule): Promise<void> {
    const entry = log.last;
    if (entry === null || this.#replayMs < Math.max(rule.milliseconds, rule.times * this.#snapshotMs)) return;
    this.#replayMs = 0;
    const started = Date.now();
    try {
      const state = await node.dumpState();
      await saveSnapshot(this.#directory, entry.number, entry.hash, state);
      this.#snapshotMs = Date.now() - started;
      this.#emit({
        kind: "snapshot-written",
        blockNumber: entry.number,
        bytes: state.length,
        milliseconds: this.#snapshotMs,
      });
    } catch (error) {
      // The log alone is enough; only the next start takes longer.
      this.#emit({ kind: "snapshot-failed", blockNumber: entry.number, reason: reasonOf(error) });
    }
  }
}
