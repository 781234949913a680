import type { ProofJournal } from "./stores.ts";
import { SealbookError } from "../errors.ts";
import type { MerkleTree } from "../journal/integrity/merkle.ts";
import type { AnchorOutcome, StoredAnchor } from "../journal/integrity/anchor.ts";
import type { AnchorRepair } from "./anchor-repair.ts";
import type { AnchorState, AnchorsInFlight } from "./anchoring.ts";
import type { AnchorTrees } from "./anchor-trees.ts";
import { hashKey, type Placement } from "./placement.ts";
import { isSameRecord, type PlacedProof, type Proof, type StoredProof } from "./proof.ts";

/** How often the journal is asked for a proof that another relayer looks after. */
const ASK_AGAIN_MILLISECONDS = 500;

export interface ProofOutcomesDeps {
  readonly journal: Pick<ProofJournal, "proofs">;
  readonly underWay: AnchorsInFlight;
  readonly repair: Pick<AnchorRepair, "mend">;
  readonly trees: AnchorTrees;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Takes up anchors that were mended. */
  readonly follow: (anchors: readonly StoredAnchor[]) => void;
}

/** A proof on its way to its outcome. */
interface Awaited {
  proof: PlacedProof;
  /** Whether there is nothing more to be done for an anchor that failed. */
  isMended: boolean;
  result: Proof | undefined;
}

/** Finds out what became of proofs that have a place. */
export class ProofOutcomes {
  readonly #deps: ProofOutcomesDeps;

  constructor(deps: ProofOutcomesDeps) {
    this.#deps = deps;
  }

  /**
   * Waits for the anchors of proofs.
   * @param end Until when, by `performance.now()`; what has no outcome by then is `pending`
   * @returns the proofs in the order given
   */
  async of(placements: readonly Placement[], end: number): Promise<Proof[]> {
    const all = placements.map(({ proof, isNew }): Awaited => ({ proof, isMended: isNew, result: undefined }));
    for (let left = all; left.length > 0; left = left.filter(({ result }) => result === undefined)) {
      const elsewhere = await this.#fromAnchors(left, end);
      if (elsewhere.length > 0) await this.#fromJournal(elsewhere, end);
    }
    return all.flatMap(({ result }) => result ?? []);
  }

  /** As the journal has them. */
  complete(stored: readonly StoredProof[]): Promise<Proof[]> {
    return Promise.all(stored.map((proof) => this.#complete(proof, proof)));
  }

  /** @returns those whose anchor nobody here looks after */
  async #fromAnchors(awaited: readonly Awaited[], end: number): Promise<Awaited[]> {
    const elsewhere: Awaited[] = [];
    for (const [anchorId, items] of Map.groupBy(awaited, ({ proof }) => proof.anchorId)) {
      const state = await this.#deps.underWay.state(anchorId, end - performance.now());
      if (state === undefined) elsewhere.push(...items);
      else {
        const tree = await this.#treeOf(anchorId, state);
        for (const item of items) item.result = completed(item.proof, state.outcome, tree);
      }
    }
    return elsewhere;
  }

  async #fromJournal(awaited: readonly Awaited[], end: number): Promise<void> {
    const { repair, follow, pause } = this.#deps;
    const stored = await this.#read(awaited.map(({ proof }) => proof));
    const over = performance.now() >= end;
    let isElsewhere = false;
    for (const [index, item] of awaited.entries()) {
      const proof = stored[index];
      if (proof === undefined) throw new SealbookError("internal", "a proof that was accepted is not in the journal");
      const { state } = proof.outcome;
      if (state === "confirmed" || over || (state === "failed" && item.isMended)) {
        item.result = await this.#complete(proof, proof);
      } else if (state === "failed") {
        // Whoever sends a record again that was set aside wants it to be tried again now.
        item.isMended = true;
        follow(await repair.mend(proof.anchorId));
      } else {
        isElsewhere ||= proof.anchorId === item.proof.anchorId;
      }
      item.proof = proof;
    }
    if (isElsewhere) await pause(ASK_AGAIN_MILLISECONDS);
  }

  async #read(proofs: readonly PlacedProof[]): Promise<(StoredProof | undefined)[]> {
    const found = await this.#deps.journal.proofs.byRecordHashes(proofs.map(({ recordHash }) => recordHash));
    const byHash = Map.groupBy(found, hashKey);
    return proofs.map((proof) => byHash.get(hashKey(proof))?.find((other) => isSameRecord(other, proof)));
  }

  async #complete(proof: PlacedProof, state: AnchorState): Promise<Proof> {
    return completed(proof, state.outcome, await this.#treeOf(proof.anchorId, state));
  }

  /** What proves the hashes of an anchor that is on chain. */
  async #treeOf(anchorId: number, { outcome, content }: AnchorState): Promise<MerkleTree | undefined> {
    return outcome.state === "confirmed" && content !== undefined ? this.#deps.trees.of(anchorId, content) : undefined;
  }
}

function completed(proof: PlacedProof, outcome: AnchorOutcome, tree: MerkleTree | undefined): Proof {
  const { documentId, hash, recordHash, metadata, acceptedAt, leafIndex: index } = proof;
  const merkle = tree && { root: tree.root, leaf: tree.leaf(index), index, path: tree.path(index) };
  return { documentId, hash, recordHash, metadata, acceptedAt, outcome, merkle };
}
