import type { AnvilNode } from "./anvil-node.ts";
import type { BlockEntry } from "./block-entry.ts";
import { reasonOf } from "./errors.ts";
import type { EventSink } from "./events.ts";
import { listSnapshots, saveSnapshot } from "./snapshots.ts";

/** While the chain runs, the pause for a snapshot must be worth the replay it saves. */
const RUNNING = { blocks: 2_000, share: 1 / 5 };
/** At a clean stop nobody waits for the next block. */
const STOPPING = { blocks: 500, share: 1 / 20 };

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
  afterBlock(node: AnvilNode, entry: BlockEntry): Promise<void> {
    return this.#takeWhenDue(node, entry, RUNNING);
  }

  /** Takes a snapshot before a clean stop when that spares the next start work. */
  atStop(node: AnvilNode, entry: BlockEntry): Promise<void> {
    return this.#takeWhenDue(node, entry, STOPPING);
  }

  async #takeWhenDue(node: AnvilNode, entry: BlockEntry, rule: { blocks: number; share: number }): Promise<void> {
    this.#last ??= (await listSnapshots(this.#directory))[0]?.blockNumber ?? 0;
    // A share of the chain, so that all snapshots together cost no more than a fixed number of the last one.
    if (entry.number - this.#last < Math.max(rule.blocks, entry.number * rule.share)) return;
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
