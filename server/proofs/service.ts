import { afterCommit } from "../journal/after-commit.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { EntryVerifier, VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { Atomic } from "../journal/engine/database.ts";
import type { KeyedCall, KeyedCallStore } from "../journal/keyed-calls.ts";
import type { Clock } from "../kit/time.ts";
import { SealbookError } from "../errors.ts";
import { isLeafUnder, type StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import type { AnchorTracker } from "./anchor-tracker.ts";
import type { Acceptance, AnchorTrees } from "./anchor-trees.ts";
import {
  isConfirmed,
  type NewProof,
  type Proof,
  type ProofMetadata,
  type ProofRequest,
  type StoredProof,
  verifiedProof,
} from "./proof.ts";
import type { ProofJournal } from "./proof-store.ts";
import type { ProofQueue } from "./proof-queue.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";

/** Dependencies of the service. */
export interface ProofServiceDeps {
  readonly journal: Atomic<Pick<ProofJournal, "proofs" | "anchors"> & { readonly keyedCalls: KeyedCallStore }>;
  readonly queue: Pick<ProofQueue, "accept" | "acceptTogether">;
  readonly tracker: Pick<AnchorTracker, "outcomes">;
  /** @throws SealbookError `not_leader`, `storage_full` */
  readonly assertWritable: () => void;
  readonly trees: AnchorTrees;
  readonly entryVerifier: Pick<EntryVerifier, "begin">;
  readonly clock: Clock;
  /** Maximum time that a request waits for its confirmation. */
  readonly proofWaitMilliseconds: number;
}

/** The proofs of documents that were submitted together. */
export interface Submitted {
  /** In the order given; a known record has its first proof. */
  readonly proofs: readonly Proof[];
  /** The common anchor; `undefined` when all records were known, under several anchors. */
  readonly batch: StoredAnchor | undefined;
  /** Whether at least one of them is new. */
  readonly isNew: boolean;
}

/** A page of a document's older proofs. */
export interface HistoryPage {
  readonly limit: number;
  /** `next` of the previous page. */
  readonly cursor?: number | undefined;
}

/** The newest of the proofs with an id, and a page of the older ones. */
export interface FoundProofs {
  readonly newest: Proof;
  /** Newest first. */
  readonly history: readonly Proof[];
  /** Cursor of the next page, if there is one. */
  readonly next: number | undefined;
}

/** A page of the proofs under one anchor. */
export interface Batch {
  readonly anchor: StoredAnchor;
  /** By leaf index. */
  readonly proofs: readonly Proof[];
  /** Leaf index at which the next page begins, if there is one. */
  readonly next: number | undefined;
}

/** Proofs of a batch that are completed at a time: other requests are served in between. */
const PROOFS_AT_ONCE = 50;

const HASH = /^[0-9a-fA-F]{64}$/;

function isRecordHash(id: string, { recordHash: recorded }: StoredProof): boolean {
  return HASH.test(id) && Buffer.compare(Buffer.from(id, "hex"), recorded) === 0;
}

/** Returns whether a call made a proof; of a call with a key, whether it or its repetitions did. */
function isNewSince(begunAt: number | undefined, { proof, isNew }: Acceptance): boolean {
  return begunAt === undefined ? isNew : proof.acceptedAt >= begunAt;
}

/** Accepts and finds proofs. */
export class ProofService {
  readonly #deps: ProofServiceDeps;

  constructor(deps: ProofServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Accepts a document's hash and waits for its anchor. An accepted proof is on disk before anything is sent, and MUST
   * end in exactly one anchor, even if processes are killed at any time. A record that is submitted again gets the same
   * proof.
   * @param call Set for a call with an idempotency key: each repetition is the call that was made first
   * @returns the proof, `pending` when the chain did not confirm it within the wait
   * @throws SealbookError `overloaded` when too many are in flight, `storage_full` with too little space on the disk,
   * `not_leader` when another relayer accepts: nothing was accepted then; `journal_unavailable` when it is not on disk;
   * `outcome_unknown` when it may be; `key_reused` when the key is of another call
   */
  async submit(request: ProofRequest, call?: KeyedCall): Promise<{ proof: Proof; isNew: boolean }> {
    const { queue, tracker } = this.#deps;
    const end = this.#end();
    this.#deps.assertWritable();
    const begunAt = await this.#begin(call);
    const acceptance = await queue.accept(this.#newProof(request, begunAt));
    const [proof] = await afterCommit(tracker.outcomes([acceptance], end));
    if (proof === undefined) throw new SealbookError("internal", "a proof has no outcome");
    return { proof, isNew: isNewSince(begunAt, acceptance) };
  }

  /** Accepts 1 to 1000 documents' hashes atomically, under one root. For the rest as {@link submit}. */
  async submitTogether(requests: readonly ProofRequest[], call?: KeyedCall): Promise<Submitted> {
    const { queue, tracker, journal } = this.#deps;
    const end = this.#end();
    this.#deps.assertWritable();
    const begunAt = await this.#begin(call);
    const accepted = await queue.acceptTogether(requests.map((request) => this.#newProof(request, begunAt)));
    const acceptances = accepted.map((acceptance) => ({ ...acceptance, isNew: isNewSince(begunAt, acceptance) }));
    const first = acceptances[0];
    if (first === undefined) throw new SealbookError("internal", "a batch of nothing was accepted");
    const proofs = await afterCommit(tracker.outcomes(acceptances, end));
    const own = acceptances.find(({ isNew }) => isNew) ?? first;
    const isShared = acceptances.every(({ proof, isNew }) => isNew || proof.anchorId === own.proof.anchorId);
    const isNew = acceptances.some((acceptance) => acceptance.isNew);
    const batch = isNew || isShared ? await afterCommit(journal.anchors.find(own.proof.anchorId)) : undefined;
    return { proofs, batch, isNew };
  }

  /**
   * Finds a proof by id, the recorded hash, or else by document: the newest one, and a page of the older ones.
   * @returns `undefined` when there is none
   * @throws SealbookError `journal_damaged` when there is none and a row that the index leads to was changed
   */
  async find(id: string, { limit, cursor }: HistoryPage): Promise<FoundProofs | undefined> {
    const { proofs } = this.#deps.journal;
    const found = (await this.#newest(id)) ?? (await this.#newest(id, this.#deps.entryVerifier.begin()));
    if (found === undefined) return undefined;
    const [newest, ...older] = found;
    if (older.length > 0 || isRecordHash(id, newest)) return this.#found(found, limit);
    const before = Math.min(cursor ?? Infinity, newest.sequence);
    return this.#found([newest, ...(await proofs.byDocument(id, { limit: limit + 1, before }))], limit);
  }

  /**
   * Finds the newest proof by id or by document, with facts that can be signed.
   * @throws SealbookError `journal_damaged` when the database has other facts than the journal's checkpoint covers
   */
  async findVerified(id: string): Promise<Proof | undefined> {
    const { entryVerifier, trees } = this.#deps;
    const checked = entryVerifier.begin();
    const [newest] = (await this.#newest(id, checked)) ?? [];
    if (newest === undefined || !isConfirmed(newest)) return newest && trees.complete(newest);
    const proof = await verifiedProof(checked, newest);
    const { anchorId, leafIndex, content, recordHash: recorded } = proof;
    const tree = content && (await trees.of(anchorId, content).catch(() => undefined));
    if (content === undefined || !isLeafUnder(recorded, leafIndex, content, tree))
      return checked.damaged(`entry ${proof.sequence} is not under its anchor`);
    return trees.complete(proof);
  }

  /** Finds the proofs with a recorded hash, newest first, or else the newest one of a document. */
  async #newest(id: string, checked?: VerifiedEntries): Promise<readonly [StoredProof, ...StoredProof[]] | undefined> {
    const { proofs } = this.#deps.journal;
    const recorded = HASH.test(id) ? await proofs.byRecordHashes([Buffer.from(id, "hex")], checked) : [];
    const [newest, ...older] =
      recorded.length > 0 ? recorded.toReversed() : await proofs.byDocument(id, { limit: 1, checked });
    return newest && [newest, ...older];
  }

  /** @param stored The newest proof, older ones, and one more if there is another page */
  async #found([newest, ...older]: readonly StoredProof[], limit: number): Promise<FoundProofs | undefined> {
    if (newest === undefined) return undefined;
    const page = older.slice(0, limit);
    const { journal, trees } = this.#deps;
    const superseded = await journal.anchors.superseded([newest, ...page].map(({ anchorId }) => anchorId));
    const complete = async (stored: StoredProof): Promise<Proof> => ({
      ...(await trees.complete(stored)),
      superseded: superseded.get(stored.anchorId) ?? [],
    });
    const history: Proof[] = [];
    // One by one: each may need the tree of its own batch.
    for (const proof of page) history.push(await complete(proof));
    const next = older.length > limit ? page.at(-1)?.sequence : undefined;
    return { newest: await complete(newest), history, next };
  }

  /** Finds the proofs anchored by a transaction, from a leaf on. */
  async findByTransaction(transactionHash: Uint8Array, from: number, limit: number): Promise<Batch | undefined> {
    return this.#batchOf(await this.#deps.journal.anchors.byTransaction(transactionHash), from, limit);
  }

  /** Finds the proofs under a root, from a leaf on. */
  async findByRoot(root: Uint8Array, from: number, limit: number): Promise<Batch | undefined> {
    return this.#batchOf(await this.#deps.journal.anchors.byHash(root), from, limit);
  }

  async #batchOf(anchor: StoredAnchor | undefined, from: number, limit: number): Promise<Batch | undefined> {
    if (anchor === undefined) return undefined;
    const found = await this.#deps.journal.proofs.byAnchor(anchor.id, from, limit + 1);
    const last = found[limit];
    // Proofs that share a leaf stay on one page: the page ends before them.
    const page = last === undefined ? found : found.filter(({ leafIndex }) => leafIndex < last.leafIndex);
    return { anchor, proofs: await this.#complete(page), next: last?.leafIndex };
  }

  async #complete(stored: readonly StoredProof[]): Promise<Proof[]> {
    const proofs: Proof[] = [];
    for (const [index, proof] of stored.entries()) {
      if (index % PROOFS_AT_ONCE === 0) await yieldToEventLoop();
      proofs.push(await this.#deps.trees.complete(proof));
    }
    return proofs;
  }

  /** Returns when a call with a key was first made. */
  async #begin(call: KeyedCall | undefined): Promise<number | undefined> {
    if (call === undefined) return undefined;
    const { journal, clock } = this.#deps;
    return (await journal.atomically(({ keyedCalls }) => keyedCalls.begin(call, clock()))).begunAt;
  }

  #newProof(request: ProofRequest, begunAt: number | undefined): NewProof {
    const acceptedAt = this.#deps.clock();
    const { documentId, hash } = request;
    const timestamp = request.metadata.timestamp ?? Math.floor((begunAt ?? acceptedAt) / 1000);
    const metadata: ProofMetadata = { ...request.metadata, timestamp };
    const parts = { documentId, timestamp, type: metadata.type ?? "", hash };
    return { documentId, hash, metadata, acceptedAt, recordHash: recordHash(parts) };
  }

  #end(): number {
    return performance.now() + this.#deps.proofWaitMilliseconds;
  }
}
