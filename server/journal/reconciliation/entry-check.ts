import { GENESIS } from "../integrity/entry-chain.ts";
import type { JournalSource } from "../entries/entry-source.ts";
import type { JournalHead } from "../integrity/entry-chain.ts";
import type { ReconciliationStore } from "./divergence.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";

/** Number of entries per step; the check can end between steps. */
const STEP = 10_000;
const SUBJECT = { kind: "entries" } as const;

export interface EntryCheckDeps {
  readonly store: Pick<ReconciliationStore, "walk">;
  readonly entries: Pick<JournalSource, "head">;
  readonly divergences: DivergenceTracker;
}

/** Walks the journal's entries: none is missing, and each gives its digest and that of its checkpoint. */
export class EntryCheck {
  readonly #deps: EntryCheckDeps;
  #reached: JournalHead | undefined;

  constructor(deps: EntryCheckDeps) {
    this.#deps = deps;
  }

  /**
   * @param isFull From the first entry on; else from the end of the last check, or from the newest entry at the first
   */
  async run(isFull: boolean, isStopped: () => boolean): Promise<void> {
    const { store, entries, divergences } = this.#deps;
    const head = await entries.head();
    let at = isFull ? GENESIS : (this.#reached ?? head);
    try {
      while (at.sequence < head.sequence && !isStopped())
        at = await store.walk(at, Math.min(head.sequence, at.sequence + STEP));
      if (at.sequence > head.sequence)
        throw new RangeError(`the journal ends with entry ${head.sequence}, though it had ${at.sequence}`);
      if (at.sequence === head.sequence && Buffer.compare(at.digest, head.digest) !== 0) {
        throw new RangeError(
          `the journal's newest entry ${head.sequence} does not have the digest that is kept for it`,
        );
      }
      this.#reached = at;
      if (isFull) await divergences.resolved(SUBJECT);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      await divergences.diverged(SUBJECT, error.message);
    }
  }
}
