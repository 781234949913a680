import { afterCommit } from "../journal/after-commit.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { EntryVerifier, VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { Atomic } from "../journal/engine/database.ts";
import type { KeyedCall, KeyedCallStore } from "../journal/keyed-calls.ts";
import { type Clock, within } from "../kit/time.ts";
import { SealbookError } from "../errors.ts";
import type { StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import type { AnchorTracker } from "./anchor-tracker.ts";
import type { Acceptance, AnchorTrees } from "./anchor-trees.ts";
import type { ProofCheck } from "./check.ts";
import {
  isSameRecord,
  type NewProof,
  type Proof,
  type ProofMetadata,
  type ProofRequest,
  type StoredProof,
} from "./proof.ts";
import type { ProofVerifier } from "./verifier.ts";
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
  /** Throws SealbookError `journal_damaged` while the index is known to miss records. */
  readonly assertFindable: () => undefined;
  readonly entryVerifier: Pick<EntryVerifier, "begin">;
  readonly verifier: Pick<ProofVerifier, "begin">;
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

/** How long a repeated call looks at the chain before it waits for its confirmation. */
const LOOK_MILLISECONDS = 2_000;

/** Thrown when the look at the chain takes too long. */
class Expired extends Error {}

const HASH = /^[0-9a-fA-F]{64}$/;

function isRecordHash(id: string, { recordHash: recorded }: StoredProof): boolean {
  return HASH.test(id) && Buffer.compare(Buffer.from(id, "hex"), recorded) === 0;
}

/** Returns whether a call made a proof; of a call with a key, whether it or its repetitions did. */
function isNewSince(begunAt: number | undefined, { proof, isNew }: Acceptance): boolean {
  return begunAt === undefined ? isNew : proof.acceptedAt >= begunAt;
}

function ifExpired(error: unknown): undefined {
  if (!(error instanceof Expired)) throw error;
}

function contradicted(fault: string): never {
  throw new SealbookError("journal_damaged", fault);
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
    const { queue } = this.#deps;
    const end = this.#end();
    this.#deps.assertWritable();
    const begunAt = await this.#begin(call);
    const acceptance = await queue.accept(this.#newProof(request, begunAt));
    const [proof] = await afterCommit(this.#outcomes([acceptance], end));
    if (proof === undefined) throw new SealbookError("internal", "a proof has no outcome");
    return { proof, isNew: isNewSince(begunAt, acceptance) };
  }

  /** Accepts 1 to 1000 documents' hashes atomically, under one root. For the rest as {@link submit}. */
  async submitTogether(requests: readonly ProofRequest[], call?: KeyedCall): Promise<Submitted> {
    const { queue, journal } = this.#deps;
    const end = this.#end();
    this.#deps.assertWritable();
    const begunAt = await this.#begin(call);
    const accepted = await queue.acceptTogether(requests.map((request) => this.#newProof(request, begunAt)));
    const acceptances = accepted.map((acceptance) => ({ ...acceptance, isNew: isNewSince(begunAt, acceptance) }));
    const first = acceptances[0];
    if (first === undefined) throw new SealbookError("internal", "a batch of nothing was accepted");
    const proofs = await afterCommit(this.#outcomes(acceptances, end));
    const own = acceptances.find(({ isNew }) => isNew) ?? first;
    const isShared = acceptances.every(({ proof, isNew }) => isNew || proof.anchorId === own.proof.anchorId);
    const isNew = acceptances.some((acceptance) => acceptance.isNew);
    const batch = isNew || isShared ? await afterCommit(journal.anchors.find(own.proof.anchorId)) : undefined;
    return { proofs, batch, isNew };
  }

  /**
   * Finds a proof by id, the recorded hash, or else by document: the newest one, and a page of the older ones.
   * @returns `undefined` when there is none
   * @throws SealbookError `journal_damaged` when a row that the index leads to was changed, or the index is known to
   *   miss records
   */
  async find(id: string, { limit, cursor }: HistoryPage): Promise<FoundProofs | undefined> {
    const { proofs } = this.#deps.journal;
    const checked = this.#deps.entryVerifier.begin();
    const found = await this.#newest(id, checked);
    if (found === undefined) return this.#deps.assertFindable();
    const [newest, ...older] = found;
    if (older.length > 0 || isRecordHash(id, newest)) return this.#found(found, limit);
    const before = Math.min(cursor ?? Infinity, newest.sequence);
    return this.#found([newest, ...(await proofs.byDocument(id, { limit: limit + 1, before, checked }))], limit);
  }

  /**
   * Finds the newest proof by id or by document, and checks it against the chain, so that it can be signed.
   * @throws SealbookError `journal_damaged` when journal and chain contradict each other; `chain_unavailable`
   */
  async findVerified(id: string): Promise<Proof | undefined> {
    const { entryVerifier, verifier, trees } = this.#deps;
    const checked = entryVerifier.begin();
    const [newest] = (await this.#newest(id, checked)) ?? [];
    if (newest === undefined) return this.#deps.assertFindable();
    const result = await verifier.begin().of(newest);
    return result.state === "contradicted" ? contradicted(result.fault) : trees.complete(result.proof);
  }

  /** Finds the proofs with a recorded hash, newest first, or else the newest one of a document. */
  async #newest(id: string, checked: VerifiedEntries): Promise<readonly [StoredProof, ...StoredProof[]] | undefined> {
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
    const { journal, verifier } = this.#deps;
    const superseded = await journal.anchors.superseded([newest, ...page].map(({ anchorId }) => anchorId));
    const check = verifier.begin();
    const complete = async (stored: StoredProof): Promise<Proof> => ({
      ...(await this.#recorded(stored, check)),
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
    const proofs = await this.#complete(page);
    // The chain has what the journal has no confirmation of.
    const outcome = proofs.find((proof) => proof.outcome.state === "confirmed")?.outcome ?? anchor.outcome;
    return { anchor: { ...anchor, outcome }, proofs, next: last?.leafIndex };
  }

  async #complete(stored: readonly StoredProof[]): Promise<Proof[]> {
    const check = this.#deps.verifier.begin();
    const proofs: Proof[] = [];
    for (const [index, proof] of stored.entries()) {
      if (index % PROOFS_AT_ONCE === 0) await yieldToEventLoop();
      proofs.push(await this.#recorded(proof, check));
    }
    return proofs;
  }

  async #recorded(stored: StoredProof, check: ProofCheck): Promise<Proof> {
    const result = await check.recorded(stored);
    return result.state === "contradicted" ? contradicted(result.fault) : this.#deps.trees.complete(result.proof);
  }

  /** Waits for the anchors of proofs. Known ones are looked at first: nobody waits for what the chain has. */
  async #outcomes(acceptances: readonly Acceptance[], end: number): Promise<Proof[]> {
    const found = await this.#known(acceptances.filter(({ isNew }) => !isNew));
    const awaited = acceptances.filter((acceptance) => !found.has(acceptance));
    const outcomes = await this.#deps.tracker.outcomes(awaited, end);
    for (const [index, acceptance] of awaited.entries()) {
      const proof = outcomes[index];
      if (proof !== undefined) found.set(acceptance, proof);
    }
    return acceptances.flatMap((acceptance) => found.get(acceptance) ?? []);
  }

  /** Returns the known proofs that are confirmed; the tracker waits for the others. */
  async #known(acceptances: readonly Acceptance[]): Promise<Map<Acceptance, Proof>> {
    const { journal, verifier, trees } = this.#deps;
    const found = new Map<Acceptance, Proof>();
    if (acceptances.length === 0) return found;
    const stored = await journal.proofs.byRecordHashes(acceptances.map(({ proof }) => proof.recordHash));
    const check = verifier.begin();
    const end = performance.now() + LOOK_MILLISECONDS;
    for (const acceptance of acceptances) {
      const same = stored.find((each) => isSameRecord(each, acceptance.proof));
      const left = end - performance.now();
      if (same === undefined || left <= 0) continue;
      // A node that hangs delays nobody.
      const result = await within(left, check.recorded(same), () => new Expired()).catch(ifExpired);
      if (result?.state === "confirmed") found.set(acceptance, await trees.complete(result.proof));
    }
    return found;
  }

  /** Returns when a call with a key was first made. */
  async #begin(call: KeyedCall | undefined): Promise<number | undefined> {
    if (call === undefined) return undefined;
    const { journal, clock } = this.#deps;
    return journal.atomically(({ keyedCalls }) => keyedCalls.begin(call, clock()));
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
