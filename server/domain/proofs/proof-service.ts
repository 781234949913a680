import type { Clock, Journal } from "../ports.ts";
import { SealbookError } from "../../errors.ts";
import type { StoredAnchor } from "./anchor.ts";
import type { AnchorRepair } from "./anchor-repair.ts";
import type { AnchorsUnderWay, ProofIntake } from "./anchoring.ts";
import type { AnchorTrees } from "./anchor-trees.ts";
import {
  isSameRecord,
  type NewProof,
  type PlacedProof,
  type Proof,
  type ProofMetadata,
  type ProofRequest,
  type StoredProof,
} from "./proof.ts";
import { recordHash } from "./record-hash.ts";

/** How often the journal is asked for a proof that another relayer looks after. */
const ASK_AGAIN_MILLISECONDS = 500;

/** What the service needs. */
export interface ProofServiceParts {
  readonly journal: Pick<Journal, "proofs" | "anchors">;
  readonly intake: ProofIntake;
  readonly underWay: AnchorsUnderWay;
  readonly repair: Pick<AnchorRepair, "mend">;
  readonly trees: AnchorTrees;
  readonly clock: Clock;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** How long a request waits for its confirmation. */
  readonly proofWaitMilliseconds: number;
  /** Takes up anchors that were mended. */
  readonly follow: (anchors: readonly StoredAnchor[]) => void;
}

/** What became of documents that were accepted together. */
export interface Submitted {
  /** In the order given; records that were known come with their first proof. */
  readonly proofs: readonly Proof[];
  /** What they share; `undefined` when all were known, under several anchors. */
  readonly batch: StoredAnchor | undefined;
  /** Whether one of them is new. */
  readonly isNew: boolean;
}

/** Proofs that share an anchor, or some of them. */
export interface Batch {
  readonly anchor: StoredAnchor;
  /** In the order of their places. */
  readonly proofs: readonly Proof[];
  /** Place at which the next page begins, when there is one. */
  readonly next: number | undefined;
}

/** Accepts and finds proofs. */
export class ProofService {
  readonly #parts: ProofServiceParts;

  constructor(parts: ProofServiceParts) {
    this.#parts = parts;
  }

  /**
   * Accepts a document's hash and waits for its anchor. What is accepted is on disk before anything is sent, and MUST
   * end in exactly one anchor, whatever is killed and when; the same record again is the same proof.
   * @returns the proof, still `pending` when the chain did not confirm it within the wait
   * @throws SealbookError `overloaded` when too many are on their way; nothing was accepted then
   */
  async submit(request: ProofRequest): Promise<{ proof: Proof; isNew: boolean }> {
    const end = this.#end();
    const { proof, isNew } = await this.#parts.intake.accept(this.#newProof(request));
    return { proof: await this.#settled(proof, isNew, end), isNew };
  }

  /** Accepts 1 to 1000 documents' hashes, all of them or none, under one root. */
  async submitTogether(requests: readonly ProofRequest[]): Promise<Submitted> {
    const { intake, journal } = this.#parts;
    const end = this.#end();
    const placements = await intake.acceptTogether(requests.map((request) => this.#newProof(request)));
    const first = placements[0];
    if (first === undefined) throw new SealbookError("internal", "a batch of nothing was accepted");
    // One after the other: all but the first have an outcome as soon as the first has, unless they are known ones.
    const proofs: Proof[] = [];
    for (const { proof, isNew } of placements) proofs.push(await this.#settled(proof, isNew, end));
    const own = placements.find(({ isNew }) => isNew) ?? first;
    const isShared = placements.every(({ proof, isNew }) => isNew || proof.anchorId === own.proof.anchorId);
    const isNew = placements.some((placement) => placement.isNew);
    const batch = isNew || isShared ? await journal.anchors.find(own.proof.anchorId) : undefined;
    return { proofs, batch, isNew };
  }

  /** Finds proofs by their id, the recorded hash, else those of a document; newest first, empty when there is none. */
  async find(id: string): Promise<Proof[]> {
    const { proofs } = this.#parts.journal;
    if (/^[0-9a-fA-F]{64}$/.test(id)) {
      const found = await proofs.byRecordHashes([Buffer.from(id, "hex")]);
      if (found.length > 0) return this.#complete(found.toReversed());
    }
    return this.#complete(await proofs.byDocument(id));
  }

  /** The proofs anchored by a transaction, from a place on. */
  async findByTransaction(transactionHash: Uint8Array, from: number, limit: number): Promise<Batch | undefined> {
    return this.#batchOf(await this.#parts.journal.anchors.byTransaction(transactionHash), from, limit);
  }

  /** The proofs under a root, from a place on. */
  async findByRoot(root: Uint8Array, from: number, limit: number): Promise<Batch | undefined> {
    return this.#batchOf(await this.#parts.journal.anchors.byHash(root), from, limit);
  }

  async #batchOf(anchor: StoredAnchor | undefined, from: number, limit: number): Promise<Batch | undefined> {
    if (anchor === undefined) return undefined;
    const found = await this.#parts.journal.proofs.byAnchor(anchor.id, from, limit + 1);
    const last = found[limit];
    // Proofs that share a place are not torn apart: the page ends before them.
    const page = last === undefined ? found : found.filter(({ leafIndex }) => leafIndex < last.leafIndex);
    return { anchor, proofs: await this.#complete(page), next: last?.leafIndex };
  }

  #newProof(request: ProofRequest): NewProof {
    const acceptedAt = this.#parts.clock();
    const timestamp = request.metadata.timestamp ?? Math.floor(acceptedAt / 1000);
    const metadata: ProofMetadata = { ...request.metadata, timestamp };
    const { documentId, hash } = request;
    return { documentId, hash, metadata, acceptedAt, recordHash: recordHash({ documentId, timestamp, type: metadata.type ?? "", hash }) };
  }

  #end(): number {
    return performance.now() + this.#parts.proofWaitMilliseconds;
  }

  /** Waits for a proof's anchor until `end`. */
  async #settled(placed: PlacedProof, isNew: boolean, end: number): Promise<Proof> {
    const { underWay, repair, follow, trees } = this.#parts;
    let proof = placed;
    let isMended = isNew;
    for (;;) {
      const state = await underWay.state(proof.anchorId, end - performance.now());
      if (state?.outcome.state === "confirmed" && state.content !== undefined) {
        const merkle = await trees.proofOf(proof.anchorId, state.content, proof.leafIndex);
        return { ...proof, outcome: state.outcome, merkle };
      }
      if (state !== undefined) return { ...proof, outcome: state.outcome, merkle: undefined };
      const stored = await this.#read(proof);
      if (stored.outcome.state === "confirmed" || performance.now() >= end) return this.#completed(stored);
      if (stored.outcome.state === "failed") {
        // Whoever sends a record again that was set aside wants it to be tried again now.
        if (isMended) return this.#completed(stored);
        isMended = true;
        follow(await repair.mend(stored.anchorId));
      } else if (stored.anchorId === proof.anchorId) {
        await this.#parts.pause(ASK_AGAIN_MILLISECONDS);
      }
      proof = stored;
    }
  }

  async #read(proof: PlacedProof): Promise<StoredProof> {
    const { proofs } = this.#parts.journal;
    const stored = (await proofs.byRecordHashes([proof.recordHash])).find((other) => isSameRecord(other, proof));
    if (stored === undefined) throw new SealbookError("internal", "a proof that was accepted is not in the journal");
    return stored;
  }

  #complete(stored: readonly StoredProof[]): Promise<Proof[]> {
    return Promise.all(stored.map((proof) => this.#completed(proof)));
  }

  async #completed(stored: StoredProof): Promise<Proof> {
    const { anchorId, content, leafIndex, outcome } = stored;
    const isOnChain = outcome.state === "confirmed" && content !== undefined;
    return { ...stored, merkle: isOnChain ? await this.#parts.trees.proofOf(anchorId, content, leafIndex) : undefined };
  }
}
