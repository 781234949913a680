import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Atomic } from "../engine/atomic.ts";
import type { IntentStore, Transactions } from "../../chain/transactions/transactions.ts";
import type { JournalSource } from "../entries/entry-source.ts";
import type { JournalHead } from "./entry-chain.ts";

/** How often it looks whether it is time. */
const LOOK_MILLISECONDS = 1_000;

/** An anchor for the digest of an entry of the journal, and with it of all before. */
export interface Seal {
  /** The entry. */
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly openedAt: number;
  /** The entry that confirms it, once there is one. */
  readonly confirmation: number | undefined;
}

/** The checkpoints among the anchors of the journal. */
export interface CheckpointStore {
  /** The newest anchor that is for the digest of an entry of the journal. */
  newestSeal(): Promise<Seal | undefined>;
  /** Begins an anchor for the digest of an entry. */
  seal(content: {
    readonly sequence: number;
    readonly digest: Uint8Array;
    readonly transactionId: number;
    readonly openedAt: number;
  }): Promise<void>;
}

interface CheckpointStores {
  readonly anchors: CheckpointStore;
  readonly entries: Pick<JournalSource, "head">;
  readonly intents: IntentStore;
}

export interface JournalSealerDeps {
  readonly journal: Atomic<CheckpointStores>;
  readonly chain: Pick<ProofAnchorClient, "anchorCall">;
  readonly transactions: Pick<Transactions, "wake">;
  readonly clock: Clock;
  readonly intervalMilliseconds: number;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Anchors the digest of the journal's newest entry from time to time, so that not even whoever rewrites the whole
 * journal can hide it. Of several relayers on one journal the first one to look does it.
 */
export class JournalSealer {
  readonly #deps: JournalSealerDeps;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #failed = false;
  readonly #startedAt: number;
  /** When the digest was anchored last, while there is something new in the journal. */
  #unsealedSince: number | undefined;

  constructor(deps: JournalSealerDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock();
  }

  start(): void {
    const { intervalMilliseconds, onFailure } = this.#deps;
    this.#timer = setInterval(
      () => {
        this.#work = this.#work.then(async () => {
          try {
            await this.sealIfDue();
            this.#failed = false;
          } catch (error) {
            if (!this.#failed) onFailure(error);
            this.#failed = true;
          }
        });
      },
      Math.min(LOOK_MILLISECONDS, intervalMilliseconds),
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  /** Seconds since the digest was anchored last; 0 when there is nothing new in the journal. */
  unsealedSeconds(): number {
    return this.#unsealedSince === undefined ? 0 : Math.max(0, (this.#deps.clock() - this.#unsealedSince) / 1000);
  }

  /** @returns the entry whose digest is on its way to the chain, when it is time for one */
  async sealIfDue(): Promise<JournalHead | undefined> {
    const { journal, chain, transactions, clock } = this.#deps;
    // Most of the time there is nothing to write, and nobody's turn to be taken.
    if ((await this.#due(journal)) === undefined) return undefined;
    const sealed = await journal.atomically(async (atomic) => {
      const head = await this.#due(atomic);
      if (head === undefined) return undefined;
      const transactionId = await atomic.intents.insert(chain.anchorCall({ hash: head.digest, size: 0 }));
      await atomic.anchors.seal({ ...head, transactionId, openedAt: clock() });
      return head;
    });
    if (sealed !== undefined) transactions.wake();
    return sealed;
  }

  /** The newest entry, when it is time to seal it. */
  async #due({ anchors, entries }: Pick<CheckpointStores, "anchors" | "entries">): Promise<JournalHead | undefined> {
    const { clock, intervalMilliseconds } = this.#deps;
    const newest = await anchors.newestSeal();
    const head = await entries.head();
    const sealedAt = newest?.openedAt ?? this.#startedAt;
    const sealed = newest?.sequence ?? 0;
    // What confirms a seal is not worth another one.
    const covered = newest?.confirmation === sealed + 1 ? newest.confirmation : sealed;
    this.#unsealedSince = head.sequence > covered ? sealedAt : undefined;
    return head.sequence > covered && clock() - sealedAt >= intervalMilliseconds ? head : undefined;
  }
}
