import { equalBytes } from "../../kit/bytes.ts";
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
    const { entries, divergences } = this.#deps;
    const head = await entries.head();
    try {
      const reached = await this.#walk(isFull ? GENESIS : (this.#reached ?? head), head, isStopped);
      if (reached.sequence < head.sequence) return;
      if (!equalBytes(reached.digest, head.digest)) {
        throw new RangeError(
          `the journal's newest entry ${head.sequence} does not have the digest that is kept for it`,
        );
      }
      this.#reached = reached;
      if (isFull) await divergences.resolved(SUBJECT);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      await divergences.diverged(SUBJECT, error.message);
    }
  }

  /** Walks to the head, over the entry that the last check reached: a rewritten journal has another digest there. */
  async #walk(from: JournalHead, head: JournalHead, isStopped: () => boolean): Promise<JournalHead> {
    const { store } = this.#deps;
    const known = this.#reached ?? GENESIS;
    if (known.sequence > head.sequence)
      throw new RangeError(`the journal ends with entry ${head.sequence}, though it had ${known.sequence}`);
    let at = from;
    while (at.sequence < head.sequence && !isStopped()) {
      const end = Math.min(head.sequence, at.sequence + STEP);
      at = await store.walk(at, at.sequence < known.sequence ? Math.min(end, known.sequence) : end);
      if (at.sequence === known.sequence && !equalBytes(at.digest, known.digest))
        throw new RangeError(`the journal up to entry ${known.sequence} was rewritten: it had another digest`);
    }
    return at;
  }
}
