import type { AnchorChain, Clock, Journal, Telemetry, Transactions } from "../ports.ts";
import { SealbookError } from "../../errors.ts";
import type { NewProof, ProofMetadata, ProofRequest, StoredProof } from "./proof.ts";
import { recordHash } from "./record-hash.ts";

/** What the service needs. */
export interface ProofServiceParts {
  readonly journal: Journal;
  readonly transactions: Transactions;
  readonly chain: AnchorChain;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** How long a request waits for its confirmation. */
  readonly proofWaitMilliseconds: number;
}

/** Whether a document's hash has a proof. */
export type Verification =
  | { readonly valid: true; readonly proof: StoredProof }
  | { readonly valid: false; readonly message: string };

/** Accepts, finds and verifies proofs. */
export class ProofService {
  readonly #parts: ProofServiceParts;

  constructor(parts: ProofServiceParts) {
    this.#parts = parts;
  }

  /**
   * Accepts a document's hash and waits for its anchor. What is accepted is on disk before anything is sent, and MUST
   * end in exactly one anchor, whatever is killed and when; the same record again is the same proof.
   * @returns the proof, still `pending` when the chain did not confirm it within the wait
   */
  async submit(request: ProofRequest): Promise<{ proof: StoredProof; isNew: boolean }> {
    const { journal, transactions, telemetry, clock, proofWaitMilliseconds } = this.#parts;
    const now = clock();
    const metadata: ProofMetadata = { ...request.metadata, timestamp: request.metadata.timestamp ?? Math.floor(now / 1000) };
    const hash = recordHash({
      documentId: request.documentId,
      timestamp: metadata.timestamp,
      type: metadata.type ?? "",
      hash: request.hash,
    });
    const accepted: Omit<NewProof, "transactionId"> = {
      documentId: request.documentId,
      hash: request.hash,
      recordHash: hash,
      metadata,
      acceptedAt: now,
    };
    const { transactionId, isNew } = await journal.atomically(async (atomic) => {
      const known = await atomic.proofs.byRecordHash(hash);
      const transactionId = await this.#anchorOnce(atomic, hash, known);
      if (known.some((proof) => isSameRecord(proof, accepted))) return { transactionId, isNew: false };
      await atomic.proofs.insert({ ...accepted, transactionId });
      return { transactionId, isNew: true };
    });
    if (isNew) telemetry.proofAccepted();
    transactions.wake();
    const outcome = await transactions.outcome(transactionId, proofWaitMilliseconds);
    if (isNew && outcome.state === "confirmed") telemetry.proofConfirmed((clock() - now) / 1000);
    const proof = (await journal.proofs.byRecordHash(hash)).find((stored) => isSameRecord(stored, accepted));
    if (proof === undefined) throw new SealbookError("internal", "a proof that was accepted is not in the journal");
    return { proof, isNew };
  }

  /** Finds proofs by their id, the recorded hash, else those of a document; newest first, empty when there is none. */
  async find(id: string): Promise<StoredProof[]> {
    const { proofs } = this.#parts.journal;
    if (/^[0-9a-fA-F]{64}$/.test(id)) {
      const found = await proofs.byRecordHash(Buffer.from(id, "hex"));
      if (found.length > 0) return found.toReversed();
    }
    return proofs.byDocument(id);
  }

  /** The proofs anchored by a transaction. */
  async findByTransaction(transactionHash: Uint8Array): Promise<StoredProof[]> {
    return this.#parts.journal.proofs.byTransaction(transactionHash);
  }

  /**
   * Whether a document's hash was recorded: the journal says where, the chain decides.
   * @throws SealbookError `chain_unavailable` when the chain cannot be asked
   */
  async verify(hash: Uint8Array): Promise<Verification> {
    const known = await this.#parts.journal.proofs.byHash(hash);
    const confirmed = known.filter(({ state }) => state === "confirmed");
    let divergence: string | undefined;
    for (const proof of confirmed) {
      const message = await this.#divergence(proof);
      if (message === undefined) {
        this.#parts.telemetry.journalAgreed(proof.recordHash);
        return { valid: true, proof };
      }
      this.#parts.telemetry.journalDiverged(proof.recordHash, message);
      divergence ??= message;
    }
    if (divergence !== undefined) return { valid: false, message: divergence };
    if (known.length > 0) return { valid: false, message: "No proof found for this hash yet: its anchoring is pending" };
    return { valid: false, message: "No proof found for this hash" };
  }

  /** Gives proofs whose transaction failed for good a new one. */
  async recover(): Promise<number> {
    const { journal, transactions } = this.#parts;
    // Read and written as one whole: the same record may be sent again at this very moment.
    const failed = await journal.atomically(async (atomic) => {
      const anchors = await atomic.proofs.failedAnchors();
      for (const { recordHash: hash } of anchors) await this.#anchorAgain(atomic, hash);
      return anchors;
    });
    if (failed.length > 0) transactions.wake();
    return failed.length;
  }

  /** The transaction that anchors a recorded hash: the one there is, unless it failed for good. */
  async #anchorOnce(journal: Journal, hash: Uint8Array, [first]: readonly StoredProof[]): Promise<number> {
    if (first === undefined) return journal.intents.insert(this.#parts.chain.anchorCall(hash));
    return first.state === "failed" ? this.#anchorAgain(journal, hash) : first.transactionId;
  }

  async #anchorAgain(journal: Journal, hash: Uint8Array): Promise<number> {
    const id = await journal.intents.insert(this.#parts.chain.anchorCall(hash));
    await journal.proofs.retry(hash, id);
    return id;
  }

  /** How the chain contradicts the journal, if it does. */
  async #divergence(proof: StoredProof): Promise<string | undefined> {
    const { documentId, hash, metadata } = proof;
    const recomputed = recordHash({ documentId, timestamp: metadata.timestamp, type: metadata.type ?? "", hash });
    if (Buffer.compare(recomputed, proof.recordHash) !== 0) {
      return "The journal's record of this hash does not belong to its recorded hash: the journal was changed";
    }
    const { chain } = this.#parts;
    if (proof.anchor === undefined) return "The journal calls this record confirmed without an anchor";
    const { transactionHash, block } = proof.anchor;
    const [anchor, mined] = await Promise.all([chain.anchorOf(proof.recordHash), chain.blockOf(transactionHash, proof.recordHash)]);
    if (anchor === undefined) return "The journal has a record of this hash, but the chain does not confirm it";
    if (mined === undefined) return "The journal has a record of this hash, but the chain does not know its transaction";
    if (mined.number !== block.number || mined.time !== block.time || Buffer.compare(mined.hash, block.hash) !== 0) {
      return "The journal has a record of this hash, but the chain holds its transaction in another block";
    }
    // An anchor before this transaction is the first one of the same hash, which stands.
    if (anchor.blockNumber <= block.number) return undefined;
    return "The journal has a record of this hash, but the chain saw it only later";
  }
}

/** Recorded texts have no separators: other parts can read alike, and then have the same hash. */
function isSameRecord(a: Omit<NewProof, "transactionId">, b: Omit<NewProof, "transactionId">): boolean {
  return (
    a.documentId === b.documentId &&
    a.metadata.timestamp === b.metadata.timestamp &&
    (a.metadata.type ?? "") === (b.metadata.type ?? "") &&
    Buffer.compare(a.hash, b.hash) === 0
  );
}
