import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { IntentStore, Transactions } from "../../chain/transactions/types.ts";
import { type Clock, every, type Interval, millisecondsSince } from "../../kit/time.ts";
import type { Atomic } from "../engine/database.ts";
import type { JournalSource } from "../entries/entry-source.ts";
import type { JournalHead } from "./entry-chain.ts";

/** Interval of the checks whether a checkpoint is due. */
const CHECK_MILLISECONDS = 1_000;

/** An anchor for the digest of an entry: it covers the entry and all before. */
export interface Checkpoint {
  /** The entry. */
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly openedAt: number;
  /** The entry that confirms the checkpoint; `undefined` while it is unconfirmed. */
  readonly confirmation: number | undefined;
}

/** The checkpoints among the anchors of the journal. */
export interface CheckpointStore {
  newestCheckpoint(): Promise<Checkpoint | undefined>;
  /** Opens an anchor for a checkpoint. */
  addCheckpoint(content: {
    readonly sequence: number;
    readonly hash: Uint8Array;
    readonly transactionId: number;
    readonly openedAt: number;
  }): Promise<void>;
}

interface CheckpointStores {
  readonly anchors: CheckpointStore;
  readonly entries: Pick<JournalSource, "head" | "ownHead">;
  readonly intents: IntentStore;
}

export interface CheckpointAnchorDeps {
  readonly journal: Atomic<CheckpointStores>;
  readonly chain: Pick<ProofAnchorClient, "anchorCall">;
  readonly transactions: Pick<Transactions, "wake">;
  readonly clock: Clock;
  readonly intervalMilliseconds: number;
  /** Throws SealbookError `journal_damaged` while a divergence of the journal's history is open. */
  readonly assertIntact: () => void;
  /** Called at the first failure, and again only after a success. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Anchors the digest of the journal's newest entry at an interval. A rewritten journal no longer gives the anchored
 * digests.
 */
export class CheckpointAnchor {
  readonly #deps: CheckpointAnchorDeps;
  readonly #startedAt: number;
  #interval: Interval | undefined;
  #failed = false;
  /** Time of the last checkpoint, while there are entries after it. */
  #lagSince: number | undefined;

  constructor(deps: CheckpointAnchorDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock();
  }

  start(): void {
    const { intervalMilliseconds, onFailure } = this.#deps;
    this.#interval = every(Math.min(CHECK_MILLISECONDS, intervalMilliseconds), async () => {
      try {
        await this.anchorIfDue();
        this.#failed = false;
      } catch (error) {
        if (!this.#failed) onFailure(error);
        this.#failed = true;
      }
    });
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }

  /** Returns the seconds since the last checkpoint; 0 when the journal has no entries after it. */
  lagSeconds(): number {
    return this.#lagSince === undefined ? 0 : Math.max(0, (this.#deps.clock() - this.#lagSince) / 1000);
  }

  /** @returns the entry of the new checkpoint; `undefined` when none was due */
  async anchorIfDue(): Promise<JournalHead | undefined> {
    const { journal, chain, transactions, clock, assertIntact } = this.#deps;
    // Usually no checkpoint is due: this check needs no write transaction.
    if ((await this.#due(journal)) === undefined) return undefined;
    assertIntact();
    const anchored = await journal.atomically(async (atomic) => {
      if ((await this.#due(atomic)) === undefined) return undefined;
      // Who can write to the database could have any hash anchored.
      const head = await atomic.entries.ownHead();
      const hash = head.digest;
      const transactionId = await atomic.intents.insert(chain.anchorCall({ hash, size: 0 }));
      await atomic.anchors.addCheckpoint({ sequence: head.sequence, hash, transactionId, openedAt: clock() });
      return head;
    });
    if (anchored !== undefined) transactions.wake();
    return anchored;
  }

  /** Returns the newest entry when a checkpoint is due. */
  async #due({ anchors, entries }: Pick<CheckpointStores, "anchors" | "entries">): Promise<JournalHead | undefined> {
    const { clock, intervalMilliseconds } = this.#deps;
    const newest = await anchors.newestCheckpoint();
    const head = await entries.head();
    const openedAt = newest?.openedAt ?? this.#startedAt;
    const sequence = newest?.sequence ?? 0;
    // The confirmation of a checkpoint needs no checkpoint of its own.
    const covered = newest?.confirmation === sequence + 1 ? newest.confirmation : sequence;
    this.#lagSince = head.sequence > covered ? openedAt : undefined;
    return head.sequence > covered && millisecondsSince(openedAt, clock()) >= intervalMilliseconds ? head : undefined;
  }
}
