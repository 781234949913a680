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

/** Walks all entries of the journal: none is missing, and each gives its digest and that of its checkpoint. */
export class EntryCheck {
  readonly #deps: EntryCheckDeps;

  constructor(deps: EntryCheckDeps) {
    this.#deps = deps;
  }

  async run(isStopped: () => boolean): Promise<void> {
    const { store, entries, divergences } = this.#deps;
    const head = await entries.head();
    try {
      const reached = await walkEntries({ store, from: GENESIS, head, isStopped });
      if (reached.sequence === head.sequence) await divergences.resolved(SUBJECT);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      await divergences.diverged(SUBJECT, error.message);
    }
  }
}

export interface EntryWalk {
  readonly store: Pick<ReconciliationStore, "walk">;
  /** An entry with a known digest. */
  readonly from: JournalHead;
  /** The newest entry, with the digest that is stored for it. */
  readonly head: JournalHead;
  readonly isStopped: () => boolean;
}

/**
 * Walks from one entry to the newest.
 * @returns the entry that was reached: an earlier one than the newest when it was stopped
 * @throws RangeError when an entry is missing or was changed, or the newest one has another digest
 */
export async function walkEntries({ store, from, head, isStopped }: EntryWalk): Promise<JournalHead> {
  let at = from;
  while (at.sequence < head.sequence && !isStopped())
    at = await store.walk(at, Math.min(head.sequence, at.sequence + STEP));
  if (at.sequence === head.sequence && !equalBytes(at.digest, head.digest))
    throw new RangeError(`the journal's newest entry ${head.sequence} does not have the digest that is kept for it`);
  return at;
}
