import type { AnvilClient } from "./anvil-client.ts";
import type { BlockLog } from "./block-log.ts";
import { reasonOf } from "../../errors.ts";
import type { EventSink } from "./events.ts";
import { saveSnapshot } from "./snapshot-file.ts";

/** The minimum replay time that a snapshot must save: absolute, and as a multiple of the snapshot's own duration. */
interface Rule {
  readonly milliseconds: number;
  readonly times: number;
}

/** While the chain runs, the next block waits for the snapshot. */
const RUNNING: Rule = { milliseconds: 5_000, times: 10 };
/** At a clean stop only the stop waits. */
const STOPPING: Rule = { milliseconds: 1_000, times: 2 };

/** The source of a snapshot. */
export interface SnapshotSource {
  readonly node: AnvilClient;
  readonly log: BlockLog;
}

/** Creates snapshots when they are due. */
export class SnapshotSchedule {
  readonly #directory: string;
  readonly #emit: EventSink;
  /** Estimated replay time of the blocks since the last snapshot. */
  #replayMs = 0;
  /** Duration of the last snapshot. */
  #snapshotMs = 0;

  constructor(directory: string, emit: EventSink) {
    this.#directory = directory;
    this.#emit = emit;
  }

  /** Begins with a started chain and the duration of its replay. */
  begin(replayMs: number): void {
    this.#replayMs = replayMs;
  }

  /** Counts a block and creates a snapshot when one is due; the next block waits for it. */
  afterBlock(source: SnapshotSource, workMs: number): Promise<void> {
    this.#replayMs += workMs;
    return this.#takeWhenDue(source, RUNNING);
  }

  /** Creates a snapshot before a clean stop when that shortens the next start. */
  atStop(source: SnapshotSource): Promise<void> {
    return this.#takeWhenDue(source, STOPPING);
  }

  async #takeWhenDue({ node, log }: SnapshotSource, rule: Rule): Promise<void> {
    const entry = log.last;
    if (entry === null || this.#replayMs < Math.max(rule.milliseconds, rule.times * this.#snapshotMs)) return;
    this.#replayMs = 0;
    const started = performance.now();
    try {
      const state = await node.dumpState();
      await saveSnapshot(this.#directory, entry.number, entry.hash, state);
      this.#snapshotMs = performance.now() - started;
      this.#emit({
        kind: "snapshot-written",
        blockNumber: entry.number,
        bytes: state.length,
        milliseconds: this.#snapshotMs,
      });
    } catch (error) {
      // The log is sufficient; only the next start is slower.
      this.#emit({ kind: "snapshot-failed", blockNumber: entry.number, reason: reasonOf(error) });
    }
  }
}
