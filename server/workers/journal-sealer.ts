import type { AnchorChain, Clock, Journal, Transactions } from "../domain/ports.ts";
import type { JournalHead } from "../domain/journal/ports.ts";

/** How often it looks whether it is time. */
const LOOK_MILLISECONDS = 1_000;

export interface JournalSealerParts {
  readonly journal: Pick<Journal, "atomically">;
  readonly chain: Pick<AnchorChain, "anchorCall">;
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
  readonly #parts: JournalSealerParts;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #failed = false;
  readonly #startedAt: number;
  /** When the digest was anchored last, while there is something new in the journal. */
  #unsealedSince: number | undefined;

  constructor(parts: JournalSealerParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock();
  }

  start(): void {
    const { intervalMilliseconds, onFailure } = this.#parts;
    this.#timer = setInterval(() => {
      this.#work = this.#work.then(async () => {
        try {
          await this.sealIfDue();
          this.#failed = false;
        } catch (error) {
          if (!this.#failed) onFailure(error);
          this.#failed = true;
        }
      });
    }, Math.min(LOOK_MILLISECONDS, intervalMilliseconds));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  /** Seconds since the digest was anchored last; 0 when there is nothing new in the journal. */
  unsealedSeconds(): number {
    return this.#unsealedSince === undefined ? 0 : Math.max(0, (this.#parts.clock() - this.#unsealedSince) / 1000);
  }

  /** @returns the entry whose digest is on its way to the chain, when it is time for one */
  async sealIfDue(): Promise<JournalHead | undefined> {
    const { journal, chain, transactions, clock, intervalMilliseconds } = this.#parts;
    const sealed = await journal.atomically(async ({ anchors, intents, entries }) => {
      const [newest, head] = [await anchors.newestSeal(), await entries.head()];
      const openedAt = clock();
      const sealedAt = newest?.openedAt ?? this.#startedAt;
      // What confirms a seal is not worth another one.
      const covered = Math.max(newest?.sequence ?? 0, newest?.confirmation === (newest?.sequence ?? 0) + 1 ? newest.confirmation : 0);
      this.#unsealedSince = head.sequence <= covered ? undefined : sealedAt;
      if (head.sequence <= covered || openedAt - sealedAt < intervalMilliseconds) return undefined;
      const transactionId = await intents.insert(chain.anchorCall({ hash: head.digest, size: 0 }));
      await anchors.seal({ ...head, transactionId, openedAt });
      this.#unsealedSince = undefined;
      return head;
    });
    if (sealed !== undefined) transactions.wake();
    return sealed;
  }
}
