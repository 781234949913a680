import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { ProofJournal } from "./stores.ts";
import { contentOver, type StoredAnchor } from "../journal/integrity/anchor.ts";
import type { AnchorContent } from "../chain/contracts/anchor.ts";
import type { SplitPart } from "./stores.ts";

/**
 * What a failed anchor needs. Anything that can be the fault of one hash is looked for by halving; what is the
 * relayer's own fault, a missing role, would fail in halves as it does in the whole.
 */
export function remedyFor({ size }: AnchorContent, reason: string): "split" | "retry" {
  return size > 1 && !/^AccessControl/.test(reason) ? "split" : "retry";
}

/** Gives anchors whose transaction failed for good new ones. */
export class AnchorRepair {
  readonly #journal: ProofJournal;
  readonly #chain: Pick<ProofAnchorClient, "anchorCall">;

  constructor(journal: ProofJournal, chain: Pick<ProofAnchorClient, "anchorCall">) {
    this.#journal = journal;
    this.#chain = chain;
  }

  /**
   * Mends one anchor, unless somebody else was faster.
   * @returns the anchors that its proofs are under now; empty when there was nothing to mend
   */
  async mend(anchorId: number): Promise<readonly StoredAnchor[]> {
    return this.#journal.atomically(async (atomic) => {
      const anchor = await atomic.anchors.find(anchorId);
      if (anchor?.outcome.state !== "failed") return [];
      return remedyFor(anchor, anchor.outcome.reason) === "split"
        ? this.#split(atomic, anchor)
        : this.#retry(atomic, anchor);
    });
  }

  async #retry({ anchors, intents }: ProofJournal, anchor: StoredAnchor): Promise<StoredAnchor[]> {
    const transactionId = await intents.insert(this.#chain.anchorCall(anchor));
    await anchors.retry(anchor.id, transactionId);
    return [{ ...anchor, transactionId, outcome: { state: "pending" } }];
  }

  async #split({ anchors, intents }: ProofJournal, anchor: StoredAnchor): Promise<StoredAnchor[]> {
    const leaves = await anchors.leaves(anchor.id);
    const middle = Math.ceil(leaves.length / 2);
    const parts: SplitPart[] = [];
    for (const hashes of [leaves.slice(0, middle), leaves.slice(middle)]) {
      const { content } = contentOver(hashes);
      const transactionId = await intents.insert(this.#chain.anchorCall(content));
      parts.push({ ...content, transactionId });
    }
    const ids = await anchors.split(anchor.id, parts);
    return parts.map(({ hash, size, transactionId }, index) => {
      const id = ids[index];
      if (id === undefined) throw new RangeError(`part ${index} of anchor ${anchor.id} has no id`);
      return { id, hash, size, transactionId, outcome: { state: "pending" } };
    });
  }
}
