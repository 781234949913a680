import { randomUUID } from "node:crypto";
import type { LoggedAnchor } from "../chain/contracts/anchor-content.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { Clock } from "../kit/clock.ts";
import type { ProofJournal } from "../proofs/index.ts";
import type { JournalEvents } from "../journal/events.ts";
import { SealbookError } from "../errors.ts";
import { AnchorAudit } from "./anchor-audit.ts";
import { LogRoot } from "./log-root.ts";
import type { RecordedProof, RecoveryStore, RecoveryVerification } from "./verification.ts";
import {
  type Comparison,
  compare,
  type ConfirmedProof,
  counted,
  isConfirmedBy,
  NO_ROWS,
  type RestoredDocument,
  type Totals,
} from "./restored.ts";
import { hex } from "../kit/hex.ts";

/** Maximum number of other documents reported for the same content, and of proofs read to find them. */
const MOST_OTHERS = 10;
const MOST_OTHERS_LOOKED_AT = 20;
/** Maximum number of documents with concurrent requests to the journal or the chain. */
const AT_ONCE = 32;
/** Number of proofs read at a time to fill a page. */
const SCAN = 500;
const BLOCKS_AT_ONCE = 1_000;
/** Age from which an unfinished comparison counts as aborted. */
const LONGEST_MILLISECONDS = 24 * 3_600_000;

export interface RecoveryServiceDeps {
  readonly journal: Pick<ProofJournal, "anchors">;
  readonly store: RecoveryStore;
  readonly chain: Pick<ProofAnchorClient, "anchorOf" | "blockOf" | "firstBlock" | "newestBlock" | "anchors">;
  readonly telemetry: Pick<JournalEvents, "journalDiverged">;
  readonly clock: Clock;
}

/** A row of a comparison. */
export interface ComparedDocument {
  readonly document: RestoredDocument;
  readonly comparison: Comparison;
}

/** A recorded document. */
export interface InventoryDocument {
  readonly proof: ConfirmedProof;
  /** The contradiction between chain and journal, if there is one. */
  readonly fault: string | undefined;
}

/** Recorded documents, and the start of the next page. */
export interface DocumentPage {
  readonly documents: readonly InventoryDocument[];
  /** The entry after which the next page begins; `undefined` when there is none. */
  readonly next: number | undefined;
}

/** A comparison in progress: accepts rows in groups and returns their results in order. */
export interface RunningVerification {
  readonly id: string;
  compare(documents: readonly RestoredDocument[]): Promise<ComparedDocument[]>;
  /** Adds the text of a returned row, in the order of the rows: the comparison's root is computed over these texts. */
  addRow(row: string): void;
  finish(): Promise<RecoveryVerification>;
  /** Deletes its stored state, unless it is finished. */
  abandon(): Promise<void>;
}

/** Compares documents restored after a disaster with their records. */
export class RecoveryService {
  readonly #deps: RecoveryServiceDeps;

  constructor(deps: RecoveryServiceDeps) {
    this.#deps = deps;
  }

  /** Deletes the stored state of comparisons that were aborted long ago. */
  async start(): Promise<void> {
    const { store, clock } = this.#deps;
    for (const id of await store.unfinished(clock() - LONGEST_MILLISECONDS)) await store.forget(id);
  }

  /** @param asOf Unix seconds: records that were on chain only later are ignored */
  async begin(asOf: number | undefined): Promise<RunningVerification> {
    const { store, clock } = this.#deps;
    const id = randomUUID();
    const newestEntry = await store.begin({ id, asOf, startedAt: clock() });
    const audit = this.#audit();
    const root = new LogRoot();
    let totals: Totals = NO_ROWS;
    let isFinished = false;
    return {
      id,
      compare: async (documents) => {
        const compared = await this.#compareAll(documents, asOf, audit);
        await store.addRestored(
          id,
          documents.map(({ documentId }) => documentId),
        );
        for (const { comparison } of compared) totals = counted(totals, comparison);
        return compared;
      },
      addRow: (row) => root.add(row),
      async finish() {
        const verification = { id, asOf, newestEntry, finishedAt: clock(), totals, rowsRoot: root.value };
        await store.finish(verification);
        isFinished = true;
        return verification;
      },
      async abandon() {
        if (!isFinished) await store.forget(id);
      },
    };
  }

  /** @param id Id of the comparison; the newest when `undefined` */
  async verification(id: string | undefined): Promise<RecoveryVerification> {
    const found = await this.#deps.store.find(id);
    if (found === undefined) {
      throw new SealbookError(
        "not_found",
        id === undefined ? "nothing was verified yet" : `there is no verification ${id}`,
      );
    }
    return found;
  }

  /** Returns the documents that were on chain at a time, each with its newest record. */
  inventory(asOf: number | undefined, after: number, limit: number): Promise<DocumentPage> {
    return this.#documents(
      (recorded) => isConfirmedBy(recorded.proof, asOf),
      after,
      limit,
      async () => new Set(),
    );
  }

  /** Returns recorded documents that are not in a comparison. */
  gap({ id, asOf, newestEntry }: RecoveryVerification, after: number, limit: number): Promise<DocumentPage> {
    const counts = ({ sequence, proof }: RecordedProof): boolean =>
      sequence <= newestEntry && isConfirmedBy(proof, asOf);
    return this.#documents(counts, after, limit, (ids) => this.#deps.store.restored(id, ids));
  }

  /**
   * Returns anchors on chain that the journal lacks.
   * @param after The block after which to begin; `undefined` for the first one
   * @returns also the block after which to continue, when there are more
   */
  async unknownAnchors(
    after: number | undefined,
    limit: number,
  ): Promise<{ anchors: readonly LoggedAnchor[]; next: number | undefined }> {
    const { chain, journal } = this.#deps;
    const newest = await chain.newestBlock();
    const found: LoggedAnchor[] = [];
    for (let from = after === undefined ? chain.firstBlock : after + 1; from <= newest; from += BLOCKS_AT_ONCE) {
      const to = Math.min(newest, from + BLOCKS_AT_ONCE - 1);
      for (const anchor of await chain.anchors(from, to)) {
        // Whole blocks only, so that the next page begins after a block.
        if (found.length >= limit && anchor.blockNumber > (found.at(-1)?.blockNumber ?? 0)) {
          return { anchors: found, next: anchor.blockNumber - 1 };
        }
        if ((await journal.anchors.byHash(anchor.hash)) === undefined) found.push(anchor);
      }
    }
    return { anchors: found, next: undefined };
  }

  #audit(): AnchorAudit {
    const { journal, chain, telemetry } = this.#deps;
    return new AnchorAudit(journal.anchors, chain, telemetry);
  }

  async #compareAll(
    documents: readonly RestoredDocument[],
    asOf: number | undefined,
    audit: AnchorAudit,
  ): Promise<ComparedDocument[]> {
    const ids = new Set(documents.map(({ documentId }) => documentId));
    const found = Map.groupBy(await this.#deps.store.ofDocuments([...ids]), ({ proof }) => proof.documentId);
    // A content that many files have, such as the empty file, is looked up once.
    const others = new Map<string, Promise<string[]>>();
    const recordedAs = (hash: Uint8Array): Promise<string[]> => {
      const key = hex(hash);
      const names = others.get(key) ?? this.#recordedAs(hash, asOf, audit);
      others.set(key, names);
      return names;
    };
    return mapConcurrently(documents, async (document) => {
      const recorded = found.get(document.documentId) ?? [];
      const comparison = await this.#compare(document, confirmedOf(recorded, asOf), audit);
      if (comparison !== undefined) return { document, comparison };
      const reason = recorded.length > 0 ? "what is recorded of it was not on chain at that time" : undefined;
      return { document, comparison: { result: "unrecorded", reason, recordedAs: await recordedAs(document.hash) } };
    });
  }

  /** @returns `undefined` when nothing was on chain */
  async #compare(
    { hash }: RestoredDocument,
    confirmed: readonly ConfirmedProof[],
    audit: AnchorAudit,
  ): Promise<Comparison | undefined> {
    const comparison = compare(hash, confirmed);
    if (comparison === undefined) return undefined;
    const fault = await audit.faultOf(comparison.proof);
    if (fault !== undefined) return { result: "unrecorded", reason: fault, recordedAs: [] };
    if (comparison.result === "match" || comparison.earlier === undefined) return comparison;
    return (await audit.faultOf(comparison.earlier)) === undefined ? comparison : { ...comparison, earlier: undefined };
  }

  /** Returns some of the documents with a record of a content. */
  async #recordedAs(hash: Uint8Array, asOf: number | undefined, audit: AnchorAudit): Promise<string[]> {
    const names = new Set<string>();
    for (const proof of await this.#deps.store.ofContent(hash, MOST_OTHERS_LOOKED_AT)) {
      if (names.size === MOST_OTHERS) break;
      if (isConfirmedBy(proof, asOf) && !names.has(proof.documentId) && (await audit.faultOf(proof)) === undefined)
        names.add(proof.documentId);
    }
    return [...names];
  }

  /** Returns documents in the order of their newest relevant proofs, without the excluded ones. */
  async #documents(
    counts: (recorded: RecordedProof) => boolean,
    after: number,
    limit: number,
    without: (documentIds: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<DocumentPage> {
    const { store } = this.#deps;
    const audit = this.#audit();
    const documents: InventoryDocument[] = [];
    for (let at = after; ;) {
      const scanned = await store.proofsAfter(at, SCAN);
      const ids = [...new Set(scanned.filter(counts).map(({ proof }) => proof.documentId))];
      const left = await without(ids);
      const newest = new Map<string, number>();
      // Newest first: the first match of each document is the relevant one.
      for (const recorded of await store.ofDocuments(ids.filter((id) => !left.has(id)))) {
        const { documentId } = recorded.proof;
        if (counts(recorded) && !newest.has(documentId)) newest.set(documentId, recorded.sequence);
      }
      const wanted = scanned.filter(({ sequence, proof }) => newest.get(proof.documentId) === sequence);
      const page = wanted.slice(0, limit - documents.length);
      const proofs = page.map(({ proof }) => proof).filter((proof) => isConfirmedBy(proof, undefined));
      documents.push(
        ...(await mapConcurrently(proofs, async (proof) => ({ proof, fault: await audit.faultOf(proof) }))),
      );
      const isFull = page.length < wanted.length;
      at = (isFull ? page : scanned).at(-1)?.sequence ?? at;
      if (isFull) return { documents, next: at };
      if (scanned.length < SCAN) return { documents, next: undefined };
    }
  }
}

function confirmedOf(recorded: readonly RecordedProof[], asOf: number | undefined): ConfirmedProof[] {
  return recorded.map(({ proof }) => proof).filter((proof) => isConfirmedBy(proof, asOf));
}

/** Maps items with limited concurrency, and yields the results in order. */
async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    // All workers draw from the one iterator.
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}
