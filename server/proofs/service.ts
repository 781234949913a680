import type { Clock } from "../kit/clock.ts";
import type { ProofJournal } from "./stores.ts";
import { SealbookError } from "../errors.ts";
import type { StoredAnchor } from "../journal/integrity/anchor.ts";
import type { ProofIntake } from "./anchoring.ts";
import type { ProofOutcomes } from "./proof-outcomes.ts";
import type { NewProof, Proof, ProofMetadata, ProofRequest, StoredProof } from "./proof.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";

/** What the service needs. */
export interface ProofServiceDeps {
  readonly journal: Pick<ProofJournal, "proofs" | "anchors">;
  readonly intake: ProofIntake;
  readonly outcomes: ProofOutcomes;
  readonly clock: Clock;
  /** How long a request waits for its confirmation. */
  readonly proofWaitMilliseconds: number;
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
  readonly #deps: ProofServiceDeps;

  constructor(deps: ProofServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Accepts a document's hash and waits for its anchor. What is accepted is on disk before anything is sent, and MUST
   * end in exactly one anchor, whatever is killed and when; the same record again is the same proof.
   * @returns the proof, still `pending` when the chain did not confirm it within the wait
   * @throws SealbookError `overloaded` when too many are on their way; nothing was accepted then
   */
  async submit(request: ProofRequest): Promise<{ proof: Proof; isNew: boolean }> {
    const { intake, outcomes } = this.#deps;
    const end = this.#end();
    const placement = await intake.accept(this.#newProof(request));
    const [proof] = await outcomes.of([placement], end);
    if (proof === undefined) throw new SealbookError("internal", "a proof has no outcome");
    return { proof, isNew: placement.isNew };
  }

  /** Accepts 1 to 1000 documents' hashes, all of them or none, under one root. */
  async submitTogether(requests: readonly ProofRequest[]): Promise<Submitted> {
    const { intake, outcomes, journal } = this.#deps;
    const end = this.#end();
    const placements = await intake.acceptTogether(requests.map((request) => this.#newProof(request)));
    const first = placements[0];
    if (first === undefined) throw new SealbookError("internal", "a batch of nothing was accepted");
    const proofs = await outcomes.of(placements, end);
    const own = placements.find(({ isNew }) => isNew) ?? first;
    const isShared = placements.every(({ proof, isNew }) => isNew || proof.anchorId === own.proof.anchorId);
    const isNew = placements.some((placement) => placement.isNew);
    const batch = isNew || isShared ? await journal.anchors.find(own.proof.anchorId) : undefined;
    return { proofs, batch, isNew };
  }

  /** Finds proofs by their id, the recorded hash, else those of a document; newest first, empty when there is none. */
  async find(id: string): Promise<Proof[]> {
    const { proofs } = this.#deps.journal;
    if (/^[0-9a-fA-F]{64}$/.test(id)) {
      const found = await proofs.byRecordHashes([Buffer.from(id, "hex")]);
      if (found.length > 0) return this.#withSuperseded(found.toReversed());
    }
    return this.#withSuperseded(await proofs.byDocument(id));
  }

  /** The proofs anchored by a transaction, from a place on. */
  async findByTransaction(transactionHash: Uint8Array, from: number, limit: number): Promise<Batch | undefined> {
    return this.#batchOf(await this.#deps.journal.anchors.byTransaction(transactionHash), from, limit);
  }

  /** The proofs under a root, from a place on. */
  async findByRoot(root: Uint8Array, from: number, limit: number): Promise<Batch | undefined> {
    return this.#batchOf(await this.#deps.journal.anchors.byHash(root), from, limit);
  }

  async #withSuperseded(stored: readonly StoredProof[]): Promise<Proof[]> {
    const { outcomes, journal } = this.#deps;
    const proofs = await outcomes.complete(stored);
    const superseded = await Promise.all(stored.map(({ anchorId }) => journal.anchors.superseded(anchorId)));
    return proofs.map((proof, index) => ({ ...proof, superseded: superseded[index] ?? [] }));
  }

  async #batchOf(anchor: StoredAnchor | undefined, from: number, limit: number): Promise<Batch | undefined> {
    if (anchor === undefined) return undefined;
    const found = await this.#deps.journal.proofs.byAnchor(anchor.id, from, limit + 1);
    const last = found[limit];
    // Proofs that share a place are not torn apart: the page ends before them.
    const page = last === undefined ? found : found.filter(({ leafIndex }) => leafIndex < last.leafIndex);
    return { anchor, proofs: await this.#deps.outcomes.complete(page), next: last?.leafIndex };
  }

  #newProof(request: ProofRequest): NewProof {
    const acceptedAt = this.#deps.clock();
    const { documentId, hash } = request;
    const timestamp = request.metadata.timestamp ?? Math.floor(acceptedAt / 1000);
    const metadata: ProofMetadata = { ...request.metadata, timestamp };
    const deps = { documentId, timestamp, type: metadata.type ?? "", hash };
    return { documentId, hash, metadata, acceptedAt, recordHash: recordHash(deps) };
  }

  #end(): number {
    return performance.now() + this.#deps.proofWaitMilliseconds;
  }
}
