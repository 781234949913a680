import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { CheckedProof } from "../proofs/index.ts";
import { AT_ONCE, candidates, type InventorySearch, startOf } from "./candidates.ts";
import { inOrder } from "./in-order.ts";
import { type InventoryDocument, NewestProofs, type NewestProofsDeps, recorded } from "./newest-proofs.ts";

/** Steps in which a page is filled: it ends before it is full when few proofs are the newest of wanted documents. */
const LEAST_STEPS = 4;
const STEPS_PER_DOCUMENT = 2 / AT_ONCE;

/** Recorded documents, and the start of the next page. */
export interface DocumentPage {
  readonly documents: readonly InventoryDocument[];
  /** The entry before which the next page begins; `undefined` when there is none. A page before it may be short. */
  readonly next: number | undefined;
}

/** Returns those of some documents that a list leaves out. */
type Without = (documentIds: readonly string[], checked: VerifiedEntries) => Promise<ReadonlySet<string>>;

/** The documents with a record, each with its newest one. */
export class Inventory {
  readonly #deps: NewestProofsDeps;

  constructor(deps: NewestProofsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns documents in the order of their newest relevant proofs, newest first.
   * @param before The entry before which they begin; `undefined` for the first page
   */
  async page(
    before: number | undefined,
    limit: number,
    search: InventorySearch,
    without: Without = async () => new Set(),
  ): Promise<DocumentPage> {
    const { checked, check, newestEntry } = this.#deps;
    const newest = new NewestProofs(this.#deps);
    const read = candidates(search, checked);
    const documents: InventoryDocument[] = [];
    let at = before ?? (await this.#start(newestEntry + 1, search));
    const steps = LEAST_STEPS + Math.ceil(limit * STEPS_PER_DOCUMENT);
    for (let step = 0; step < steps; step += 1) {
      const { proofs, next } = await read(at);
      const relevant = (await recorded(proofs, check)).filter((found) => newest.counts(found));
      const sound = relevant.flatMap(({ proof, fault }) => (fault === undefined ? [proof] : [])).reverse();
      const left = await without([...new Set(sound.map(({ documentId }) => documentId))], checked);
      const isNewest = await newest.among(sound.filter(({ documentId }) => !left.has(documentId)));
      // A damaged row can have the name of another document: it is listed whatever is recorded of that one.
      const wanted = relevant.filter(({ proof, fault }) => fault !== undefined || isNewest.has(proof.sequence));
      const page = wanted.slice(0, limit - documents.length);
      documents.push(
        ...(await inOrder(page, async (found) =>
          found.fault === undefined ? toDocument(await check.of(found.proof), found) : found,
        )),
      );
      if (page.length < wanted.length) return { documents, next: page.at(-1)?.proof.sequence ?? at };
      if (next === undefined) return { documents, next };
      at = next;
    }
    return { documents, next: at };
  }

  #start(end: number, { to, hash }: InventorySearch): Promise<number> | number {
    return to === undefined || hash !== undefined ? end : startOf(to, end, this.#deps.checked);
  }
}

/** @param found What the journal says of it */
function toDocument(result: CheckedProof, found: InventoryDocument): InventoryDocument {
  if (result.state === "contradicted") return { proof: found.proof, fault: result.fault };
  return result.state === "confirmed" ? { proof: result.proof, fault: undefined } : found;
}
