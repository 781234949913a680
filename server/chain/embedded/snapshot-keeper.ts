import type { AnvilNode } from "./anvil-node.ts";
import type { BlockLog } from "./block-log.ts";
import { reasonOf } from "./errors.ts";
import type { EventSink } from "./events.ts";
import { listSnapshots, saveSnapshot } from "./snapshots.ts";

/** How much log makes a snapshot worthwhile: bytes, because they grow with what a replay costs, and a share of the whole. */
interface Rule {
  readonly bytes: number;
  readonly share: number;
}

/** While the chain runs, the pause for a snapshot must be worth the seconds of replay it saves. */
const RUNNING: Rule = { bytes: 1024 * 1024, share: 1 / 4 };
/** At a clean stop nobody waits for the next block. */
const STOPPING: Rule = { bytes: 256 * 1024, share: 1 / 10 };

/** What a snapshot is taken of. */
export interface SnapshotSource {
  readonly node: AnvilNode;
  readonly log: BlockLog;
}

/** Decides when a snapshot is due and takes it. */
export class SnapshotKeeper {
  readonly #directory: string;
  readonly #emit: EventSink;
  /** The block of the newest attempt, or null when the folder has not been looked at yet. */
  #last: number | null = null;

  constructor(directory: string, emit: EventSink) {
    this.#directory = directory;
    this.#emit = emit;
  }

  /** Takes a snapshot after a block when enough blocks have come since the last; the next block waits for it. */
  afterBlock(session: SnapshotSource): Promise<void> {
    return this.#takeWhenDue(session, RUNNING);
  }

  /** Takes a snapshot before a clean stop when that spares the next start work. */
  atStop(session: SnapshotSource): Promise<void> {
    return this.#takeWhenDue(session, STOPPING);
  }

  async #takeWhenDue({ node, log }: SnapshotSource, rule: Rule): Promise<void> {
    const entry = log.last;
    if (entry === null) return;
    this.#last ??= (await listSnapshots(this.#directory))[0]?.blockNumber ?? 0;
    // A share of the chain, so that all snapshots together cost no more than a fixed number of the last one.
    if (log.bytesAfter(this.#last) < Math.max(rule.bytes, log.bytesAfter(0) * rule.share)) return;
    this.#last = entry.number;
    const started = Date.now();
    try {
      const state = await node.dumpState();
      await saveSnapshot(this.#directory, entry.number, entry.hash, state);
      this.#emit({ kind: "snapshot-written", blockNumber: entry.number, bytes: state.length, milliseconds: Date.now() - started });
    } catch (error) {
      // The log alone is enough; only the next start takes longer.
      this.#emit({ kind: "snapshot-failed", blockNumber: entry.number, reason: reasonOf(error) });
    }
  }
}
