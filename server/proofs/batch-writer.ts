import { SealbookError } from "../errors.ts";
import type { MerkleTree } from "../journal/integrity/merkle.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { Clock } from "../kit/clock.ts";
import type { ProofJournal } from "./stores.ts";
import { contentOver, type StoredAnchor } from "../journal/integrity/anchor.ts";
import { hasNewHash, place, type Placement, type Placements } from "./placement.ts";
import type { NewProof } from "./proof.ts";

/** The batch that takes single proofs; as it is on disk. */
export interface OpenBatch {
  readonly anchorId: number;
  readonly openedAt: number;
  readonly hashes: readonly Uint8Array[];
}

/** An anchor that was given its content and its transaction. */
export interface ClosedBatch {
  readonly anchor: StoredAnchor;
  /** Whether it took single proofs, and not one bulk request. */
  readonly isShared: boolean;
  /** None over a hash that is alone. */
  readonly tree: MerkleTree | undefined;
}

/** What a write to disk did; nothing of it holds before the write has succeeded. */
export interface Written {
  /** In the order of the single proofs. */
  readonly singles: readonly Placement[];
  /** In the order of the bulk requests. */
  readonly bulks: readonly (readonly Placement[])[];
  /** New proofs by their anchor. */
  readonly placed: readonly { readonly anchorId: number; readonly acceptedAt: readonly number[] }[];
  readonly closed: readonly ClosedBatch[];
  readonly open: OpenBatch | undefined;
  /** The open batch of before, when another relayer has closed it, taking this one for dead. */
  readonly lost: OpenBatch | undefined;
}

/** What is to be written together. */
export interface Work {
  /** The batch that takes the single proofs, when there is one already. */
  readonly open: OpenBatch | undefined;
  readonly singles: readonly NewProof[];
  readonly bulks: readonly (readonly NewProof[])[];
  /** Whether a batch is to be closed now. */
  isDue(open: OpenBatch): boolean;
}

/** Writes proofs and the anchors over them; each method is part of a transaction of the caller's. */
export class BatchWriter {
  readonly #chain: Pick<ProofAnchorClient, "anchorCall">;
  readonly #clock: Clock;

  constructor(chain: Pick<ProofAnchorClient, "anchorCall">, clock: Clock) {
    this.#chain = chain;
    this.#clock = clock;
  }

  async write(atomic: ProofJournal, work: Work): Promise<Written> {
    const placed: Written["placed"][number][] = [];
    const closed: ClosedBatch[] = [];
    const bulks: (readonly Placement[])[] = [];
    const lost = await this.#lost(atomic, work.open);
    let open = lost === undefined ? work.open : undefined;
    let singles: readonly Placement[] = [];
    if (work.singles.length > 0) {
      const result = await this.#place(atomic, work.singles, open);
      singles = result.placed;
      open = result.batch && { ...result.batch, hashes: [...result.batch.hashes, ...result.hashes] };
      placed.push(...newUnder(open, result));
    }
    if (open !== undefined && work.isDue(open)) {
      closed.push(await this.#close(atomic, open.anchorId, open.hashes, true));
      open = undefined;
    }
    for (const proofs of work.bulks) {
      const result = await this.#place(atomic, proofs, undefined);
      bulks.push(result.placed);
      placed.push(...newUnder(result.batch, result));
      if (result.batch !== undefined)
        closed.push(await this.#close(atomic, result.batch.anchorId, result.hashes, false));
    }
    return { singles, bulks, placed, closed, open, lost };
  }

  /**
   * Closes anchors that were open when their process ended.
   * @param othersBefore Those of other relayers only when they were opened before this time, in Unix milliseconds
   * @param except The one that is in use
   */
  async closeLeftOpen(
    atomic: ProofJournal,
    othersBefore: number,
    except: OpenBatch | undefined,
  ): Promise<ClosedBatch[]> {
    const closed: ClosedBatch[] = [];
    for (const anchorId of await atomic.anchors.leftOpen(othersBefore)) {
      if (anchorId === except?.anchorId) continue;
      closed.push(await this.#close(atomic, anchorId, await atomic.anchors.leaves(anchorId), true));
    }
    return closed;
  }

  async #lost(atomic: ProofJournal, open: OpenBatch | undefined): Promise<OpenBatch | undefined> {
    return open === undefined || (await atomic.anchors.isOpen(open.anchorId)) ? undefined : open;
  }

  /** Writes proofs into a batch, which is opened when it is needed. */
  async #place(
    atomic: ProofJournal,
    proofs: readonly NewProof[],
    open: OpenBatch | undefined,
  ): Promise<Placements & { readonly batch: OpenBatch | undefined }> {
    const known = await atomic.proofs.byRecordHashes(proofs.map(({ recordHash }) => recordHash));
    const batch = open ?? (hasNewHash(proofs, known) ? await this.#open(atomic) : undefined);
    // Without a batch every hash has its place already.
    const placements = place(proofs, known, { anchorId: batch?.anchorId ?? 0, size: batch?.hashes.length ?? 0 });
    await atomic.proofs.insert(placements.added);
    return { ...placements, batch };
  }

  async #open(atomic: ProofJournal): Promise<OpenBatch> {
    const openedAt = this.#clock();
    return { anchorId: await atomic.anchors.open(openedAt), openedAt, hashes: [] };
  }

  /** Gives an anchor its content and its transaction. A single proof that is alone goes without a root. */
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
    return { anchor: { id: anchorId, ...content, transactionId, outcome: { state: "pending" } }, isShared, tree };
  }
}

/** Which of the proofs that were added hang on a batch: others read like one that has an anchor already. */
function newUnder(batch: OpenBatch | undefined, { added }: Placements): Written["placed"] {
  if (batch === undefined) return [];
  const own = added.filter(({ anchorId }) => anchorId === batch.anchorId);
  return [{ anchorId: batch.anchorId, acceptedAt: own.map(({ acceptedAt }) => acceptedAt) }];
}
