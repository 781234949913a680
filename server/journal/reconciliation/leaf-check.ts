import type { Confirmation, ReconciliationStore } from "./divergence.ts";
import { SealbookError } from "../../errors.ts";
import { giveContent } from "../integrity/stored-anchor.ts";
import { equalBytes } from "../../kit/bytes.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";

const PAGE = 512;

export interface LeafCheckDeps {
  readonly store: Pick<ReconciliationStore, "confirmations">;
  /** Returns the proofs of an anchor by leaf index, from a leaf on. */
  readonly proofs: {
    byAnchor(
      anchorId: number,
      fromLeaf: number,
      limit: number,
    ): Promise<readonly { readonly leafIndex: number; readonly recordHash: Uint8Array }[]>;
  };
  readonly divergences: DivergenceTracker;
}

/**
 * Compares the recorded hashes of proofs with the anchored roots: this also detects a journal with recomputed digests.
 */
export class LeafCheck {
  readonly #deps: LeafCheckDeps;

  constructor(deps: LeafCheckDeps) {
    this.#deps = deps;
  }

  async run(isStopped: () => boolean): Promise<void> {
    const { store, divergences } = this.#deps;
    for (let reached = 0; !isStopped();) {
      const page = await store.confirmations(reached, PAGE);
      const last = page.at(-1);
      if (last === undefined) return;
      for (const confirmation of page) {
        if (isStopped()) return;
        if (confirmation.checkpoint !== undefined || (await this.#agrees(confirmation).catch(unreadable))) continue;
        const { anchor } = confirmation;
        await divergences.diverged(
          { kind: "leaves", anchor: anchor.id },
          `the proofs of anchor ${anchor.id} are not those that the chain was given: proofs were changed, added ` +
            "or removed",
        );
      }
      reached = last.sequence;
    }
  }

  async #agrees({ anchor, ...content }: Confirmation): Promise<boolean> {
    const leaves: Uint8Array[] = [];
    for (const { leafIndex, recordHash } of await this.#deps.proofs.byAnchor(anchor.id, 0, Number.MAX_SAFE_INTEGER)) {
      const leaf = leaves[leafIndex];
      if (leaf === undefined && leafIndex !== leaves.length) return false;
      // Proofs that share a leaf have the same recorded hash.
      if (leaf !== undefined && !equalBytes(leaf, recordHash)) return false;
      leaves[leafIndex] = recordHash;
    }
    return giveContent(leaves, content);
  }
}

/** Proofs that cannot be read are changed. */
function unreadable(error: unknown): false {
  if (error instanceof RangeError || (error instanceof SealbookError && error.code === "journal_damaged")) return false;
  throw error;
}
