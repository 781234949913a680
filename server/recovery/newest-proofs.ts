import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { ConfirmedProof, ProofCheck, StoredProof } from "../proofs/index.ts";
import { newestOfDocuments, proofsBetween, proofsOfEntries } from "./store.ts";
import { isConfirmedBy, type RecordedVerification } from "./verification.ts";

/** Maximum number of documents with several proofs that are remembered. */
const MOST_KNOWN = 10_000;

/** A recorded document. */
export type InventoryDocument =
  | { readonly proof: ConfirmedProof; readonly fault: undefined }
  /** Chain and journal contradict each other, or the journal itself. */
  | { readonly proof: StoredProof; readonly fault: string };

/**
 * The state that a list in pages is about: the newest entry of the journal and the newest block, as its first page is
 * read. A document that is recorded again meanwhile would otherwise be in no page.
 */
export interface ListedState {
  readonly newestEntry: number;
  readonly newestBlock: number;
}

export interface NewestProofsDeps extends ListedState, Pick<RecordedVerification, "asOf"> {
  readonly checked: VerifiedEntries;
  readonly check: Pick<ProofCheck, "of">;
}

/**
 * Decides which proofs are the newest relevant ones of their documents. Reads the proofs of a document from the newest
 * on, as far as needed, and serves one page.
 */
export class NewestProofs {
  readonly #deps: NewestProofsDeps;
  /** The newest relevant proofs of documents with several. */
  readonly #known = new Map<string, number>();

  constructor(deps: NewestProofsDeps) {
    this.#deps = deps;
  }

  /** Returns whether a proof is relevant. The time of a record that was changed is unknown: it is, with its fault. */
  counts({ proof, fault }: InventoryDocument): boolean {
    const { asOf, newestEntry, newestBlock } = this.#deps;
    if (proof.sequence > newestEntry) return false;
    return fault !== undefined || (isConfirmedBy(proof, asOf) && proof.outcome.block.number <= newestBlock);
  }

  /**
   * Returns the entries of those relevant proofs that are the newest of their documents.
   * @param proofs Oldest first
   */
  async among(proofs: readonly ConfirmedProof[]): Promise<ReadonlySet<number>> {
    const { checked, newestEntry } = this.#deps;
    const candidates = new Map(proofs.map(({ documentId, sequence }) => [documentId, sequence]));
    const found = new Set<number>();
    for (const [documentId, sequence] of candidates) {
      const known = this.#known.get(documentId);
      if (known === undefined) continue;
      candidates.delete(documentId);
      if (known <= sequence) found.add(sequence);
    }
    const newest = await newestOfDocuments([...candidates.keys()], newestEntry + 1, checked);
    const newer = new Map<string, number>();
    for (const [documentId, sequence] of candidates) {
      const last = newest.get(documentId) ?? 0;
      if (last > sequence) newer.set(documentId, last);
      else found.add(sequence);
    }
    const relevant = await this.#relevant(await proofsOfEntries(newer, checked));
    for (const { documentId, sequence } of relevant) this.#remember(documentId, sequence);
    for (const documentId of newer.keys()) {
      const sequence = candidates.get(documentId);
      if (sequence === undefined || this.#known.has(documentId)) continue;
      const last = await this.#newestAfter(documentId, sequence);
      this.#remember(documentId, last);
      if (last === sequence) found.add(sequence);
    }
    return found;
  }

  /** Returns the newest relevant proof of a document after a relevant one, or that one. */
  async #newestAfter(documentId: string, sequence: number): Promise<number> {
    const { checked, newestEntry } = this.#deps;
    for await (const proofs of proofsBetween(documentId, sequence, newestEntry + 1, checked)) {
      const [newest] = await this.#relevant(proofs);
      if (newest !== undefined) return newest.sequence;
    }
    return sequence;
  }

  async #relevant(proofs: readonly StoredProof[]): Promise<StoredProof[]> {
    const found = await recorded(proofs, this.#deps.check);
    return found.filter((each) => this.counts(each)).map(({ proof }) => proof);
  }

  #remember(documentId: string, sequence: number): void {
    if (this.#known.size === MOST_KNOWN) this.#known.clear();
    this.#known.set(documentId, sequence);
  }
}

/**
 * Returns the proofs that are on chain, and those about which there is a contradiction. The chain is asked about those
 * that the journal has no confirmation of.
 */
export async function recorded(
  proofs: readonly StoredProof[],
  check: Pick<ProofCheck, "of">,
): Promise<InventoryDocument[]> {
  const found: InventoryDocument[] = [];
  for (const proof of proofs) {
    if (isConfirmedBy(proof, undefined)) {
      found.push({ proof, fault: undefined });
      continue;
    }
    const result = await check.of(proof);
    if (result.state === "confirmed") found.push({ proof: result.proof, fault: undefined });
    if (result.state === "contradicted") found.push({ proof, fault: result.fault });
  }
  return found;
}
