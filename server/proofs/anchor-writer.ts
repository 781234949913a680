import { SealbookError } from "../errors.ts";
import type { MerkleTree } from "../journal/integrity/merkle.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { Clock } from "../kit/time.ts";
import { contentOver, type StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import { type Acceptance, assignLeaves, hasNewHash, type LeafAssignment } from "./anchor-trees.ts";
import type { NewProof } from "./proof.ts";
import type { ProofJournal } from "./proof-store.ts";

const PENDING = { state: "pending" } as const;

/** The open batch for single proofs, as on disk. */
export interface OpenBatch {
  readonly anchorId: number;
  readonly openedAt: number;
  readonly hashes: readonly Uint8Array[];
}

/** An anchor with its content and its transaction. */
export interface ClosedBatch {
  readonly anchor: StoredAnchor;
  /** Whether it contains single proofs, as opposed to one bulk request. */
  readonly isShared: boolean;
  /** `undefined` over a single hash. */
  readonly tree: MerkleTree | undefined;
}

/** Result of a write to disk; valid only after the write has succeeded. */
export interface Written {
  /** In the order of the single proofs. */
  readonly singles: readonly Acceptance[];
  /** In the order of the bulk requests. */
  readonly bulks: readonly (readonly Acceptance[])[];
  /** New proofs by their anchor. */
  readonly added: readonly { readonly anchorId: number; readonly acceptedAt: readonly number[] }[];
  readonly closed: readonly ClosedBatch[];
  readonly open: OpenBatch | undefined;
}

/** Input of one write. */
export interface Work {
  /** The open batch for single proofs, if there is one. */
  readonly open: OpenBatch | undefined;
  readonly singles: readonly NewProof[];
  readonly bulks: readonly (readonly NewProof[])[];
  /** Returns whether a batch is to be closed now. */
  isDue(open: OpenBatch): boolean;
}

/** Writes proofs and their anchors. Each method is atomic on disk. */
export class AnchorWriter {
  readonly #journal: ProofJournal;
  readonly #chain: Pick<ProofAnchorClient, "anchorCall">;
  readonly #clock: Clock;

  constructor(journal: ProofJournal, chain: Pick<ProofAnchorClient, "anchorCall">, clock: Clock) {
    this.#journal = journal;
    this.#chain = chain;
    this.#clock = clock;
  }

  /** Writes new proofs, each with its leaf index under an anchor, and closes the batches that are due. */
  write({ open: current, singles, bulks, isDue }: Work): Promise<Written> {
    return this.#journal.atomically(async (atomic) => {
      const added: Written["added"][number][] = [];
      const closed: ClosedBatch[] = [];
      let open = current;
      let accepted: readonly Acceptance[] = [];
      if (singles.length > 0) {
        const result = await this.#insert(atomic, singles, open);
        accepted = result.accepted;
        open = result.batch && { ...result.batch, hashes: [...result.batch.hashes, ...result.hashes] };
        added.push(...addedTo(open, result));
      }
      if (open !== undefined && isDue(open)) {
        closed.push(await this.#close(atomic, open.anchorId, open.hashes, true));
        open = undefined;
      }
      const together: (readonly Acceptance[])[] = [];
      for (const proofs of bulks) {
        const result = await this.#insert(atomic, proofs, undefined);
        together.push(result.accepted);
        added.push(...addedTo(result.batch, result));
        if (result.batch !== undefined)
          closed.push(await this.#close(atomic, result.batch.anchorId, result.hashes, false));
      }
      return { singles: accepted, bulks: together, added, closed, open };
    });
  }

  /** Closes anchors that were open when their process ended. */
  closeLeftOpen(): Promise<ClosedBatch[]> {
    return this.#journal.atomically(async (atomic) => {
      const closed: ClosedBatch[] = [];
      for (const anchorId of await atomic.anchors.leftOpen()) {
        const leaves = await atomic.anchors.leaves(anchorId).catch(ifDamaged);
        // Without leaves no entry has opened it; changed ones keep no other anchor open.
        if (leaves.length > 0) closed.push(await this.#close(atomic, anchorId, leaves, true));
      }
      return closed;
    });
  }

  /**
   * Gives a failed anchor a new transaction.
   * @returns the anchor with it; empty when it is no longer failed
   */
  reanchor(anchorId: number): Promise<readonly ClosedBatch[]> {
    return this.#journal.atomically(async (atomic) => {
      const anchor = await atomic.anchors.find(anchorId);
      if (anchor?.outcome.state !== "failed") return [];
      const transactionId = await atomic.intents.insert(this.#chain.anchorCall(anchor));
      await atomic.anchors.retry(anchor.id, transactionId);
      return [{ anchor: { ...anchor, transactionId, outcome: PENDING }, isShared: false, tree: undefined }];
    });
  }

  /** Writes proofs into a batch; opens one when there is a new hash. */
  async #insert(
    atomic: ProofJournal,
    proofs: readonly NewProof[],
    open: OpenBatch | undefined,
  ): Promise<LeafAssignment & { readonly batch: OpenBatch | undefined }> {
    const known = await atomic.proofs.byRecordHashes(proofs.map(({ recordHash }) => recordHash));
    const batch = open ?? (hasNewHash(proofs, known) ? await this.#open(atomic) : undefined);
    // Without a batch every hash already has its leaf index.
    const assigned = assignLeaves(proofs, known, { anchorId: batch?.anchorId ?? 0, size: batch?.hashes.length ?? 0 });
    await atomic.proofs.insert(assigned.added);
    return { ...assigned, batch };
  }

  async #open(atomic: ProofJournal): Promise<OpenBatch> {
    const openedAt = this.#clock();
    return { anchorId: await atomic.anchors.open(openedAt), openedAt, hashes: [] };
  }

  /** Gives an anchor its content and its transaction. A lone single proof is anchored without a root. */
  async #close(
    atomic: ProofJournal,
    anchorId: number,
    hashes: readonly Uint8Array[],
    isShared: boolean,
  ): Promise<ClosedBatch> {
    if (hashes.length === 0) throw new SealbookError("internal", `anchor ${anchorId} is empty`);
    const { content, tree } = contentOver(hashes, !isShared);
    const transactionId = await atomic.intents.insert(this.#chain.anchorCall(content));
    await atomic.anchors.close(anchorId, { ...content, transactionId });
    return { anchor: { id: anchorId, ...content, transactionId, outcome: PENDING }, isShared, tree };
  }
}

/** Returns the proofs that were added to a batch: others share the anchor of an earlier proof. */
function addedTo(batch: OpenBatch | undefined, { added }: LeafAssignment): Written["added"] {
  if (batch === undefined) return [];
  const own = added.filter(({ anchorId }) => anchorId === batch.anchorId);
  return [{ anchorId: batch.anchorId, acceptedAt: own.map(({ acceptedAt }) => acceptedAt) }];
}

/** Returns nothing in place of what a changed journal has. */
export function ifDamaged(error: unknown): [] {
  if (error instanceof SealbookError && error.code === "journal_damaged") return [];
  throw error;
}
