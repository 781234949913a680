import { yieldToEventLoop } from "../kit/event-loop.ts";
import { SealbookError } from "../errors.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { type ConfirmedProof, type StoredProof, verifiedProof } from "../proofs/index.ts";
import { isConfirmedBy, type RecordedVerification } from "./verification.ts";
import type { RecoveryStore } from "./store.ts";

/** Proofs that are checked at a time: other requests are served in between. */
const AT_ONCE = 20;
/** Maximum number of documents with several proofs that are remembered. */
const MOST_KNOWN = 10_000;

/** A recorded document. */
export interface InventoryDocument {
  readonly proof: ConfirmedProof;
  /** The contradiction between chain and journal, if there is one. */
  readonly fault: string | undefined;
}

export interface NewestProofsDeps extends Pick<RecordedVerification, "asOf" | "newestEntry"> {
  readonly store: Pick<RecoveryStore, "newestOfEach" | "ofEntries" | "ofDocument">;
  readonly checked: VerifiedEntries;
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
    const { asOf, newestEntry } = this.#deps;
    return proof.sequence <= newestEntry && (fault !== undefined || isConfirmedBy(proof, asOf));
  }

  /**
   * Returns the entries of those relevant proofs that are the newest of their documents.
   * @param proofs Oldest first
   */
  async among(proofs: readonly ConfirmedProof[]): Promise<ReadonlySet<number>> {
    const { store, checked, newestEntry } = this.#deps;
    const candidates = new Map(proofs.map(({ documentId, sequence }) => [documentId, sequence]));
    const found = new Set<number>();
    for (const [documentId, sequence] of candidates) {
      const known = this.#known.get(documentId);
      if (known === undefined) continue;
      candidates.delete(documentId);
      if (known <= sequence) found.add(sequence);
    }
    const newest = await store.newestOfEach([...candidates.keys()], newestEntry + 1);
    const newer = new Map<string, number>();
    for (const [documentId, sequence] of candidates) {
      const last = newest.get(documentId) ?? 0;
      if (last > sequence) newer.set(documentId, last);
      else found.add(sequence);
    }
    const relevant = await this.#relevant(await store.ofEntries(newer, checked));
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
    const { store, checked, newestEntry } = this.#deps;
    for await (const proofs of store.ofDocument(documentId, sequence, newestEntry + 1, checked)) {
      const [newest] = await this.#relevant(proofs);
      if (newest !== undefined) return newest.sequence;
    }
    return sequence;
  }

  async #relevant(proofs: readonly StoredProof[]): Promise<StoredProof[]> {
    const found = await checkedProofs(proofs, this.#deps.checked);
    return found.filter((each) => this.counts(each)).map(({ proof }) => proof);
  }

  #remember(documentId: string, sequence: number): void {
    if (this.#known.size === MOST_KNOWN) this.#known.clear();
    this.#known.set(documentId, sequence);
  }
}

/** Returns confirmed proofs with their facts from checked entries, or with the reason for which there are none. */
export async function checkedProofs(
  proofs: readonly StoredProof[],
  checked: VerifiedEntries,
): Promise<InventoryDocument[]> {
  const found: InventoryDocument[] = [];
  // One after the other: neighbours share a block of entries, which is checked once.
  for (const [index, proof] of proofs.entries()) {
    if (index % AT_ONCE === 0) await yieldToEventLoop();
    if (!isConfirmedBy(proof, undefined)) continue;
    try {
      found.push({ proof: await verifiedProof(checked, proof), fault: undefined });
    } catch (error) {
      if (!(error instanceof SealbookError) || error.code !== "journal_damaged") throw error;
      found.push({ proof, fault: error.message });
    }
  }
  return found;
}
