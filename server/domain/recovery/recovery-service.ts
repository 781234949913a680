import { randomUUID } from "node:crypto";
import type { AnchorLog, LoggedAnchor, ReconciliationStore } from "../journal/reconciliation.ts";
import type { AnchorChain, Clock, Journal, Telemetry } from "../ports.ts";
import { SealbookError } from "../../errors.ts";
import { AnchorAudit } from "./anchor-audit.ts";
import { LogRoot } from "./log-root.ts";
import type { RecoveryStore, RecoveryVerification } from "./ports.ts";
import { type Comparison, compare, type ConfirmedProof, counted, isConfirmedBy, NO_ROWS, type RestoredDocument, type Totals } from "./restored.ts";

/** Other documents that are named for a content that was recorded of them. */
const MOST_OTHERS = 10;
/** Proofs looked at to fill a page. */
const SCAN = 500;
const BLOCKS_AT_ONCE = 1_000;
/** A comparison that takes longer was broken off. */
const LONGEST_MILLISECONDS = 24 * 3_600_000;

export interface RecoveryServiceParts {
  readonly journal: Pick<Journal, "anchors">;
  readonly store: RecoveryStore;
  readonly chain: AnchorChain;
  readonly log: AnchorLog;
  readonly anchors: Pick<ReconciliationStore, "isKnown">;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

/** A row of a comparison. */
export interface ComparedDocument {
  readonly document: RestoredDocument;
  readonly comparison: Comparison;
}

/** Recorded documents, and where to go on. */
export interface DocumentPage {
  readonly proofs: readonly ConfirmedProof[];
  /** The entry after which the next page begins; `undefined` when there is none. */
  readonly next: number | undefined;
}

/** A comparison under way: rows go in some at a time, and come back in their order. */
export interface RunningVerification {
  readonly id: string;
  compare(documents: readonly RestoredDocument[]): Promise<ComparedDocument[]>;
  /** Says how a row was told, in the order of the rows: the comparison's root is over these texts. */
  told(row: string): void;
  finish(): Promise<RecoveryVerification>;
}

/** Tells whether what came back after a disaster is what was recorded. */
export class RecoveryService {
  readonly #parts: RecoveryServiceParts;

  constructor(parts: RecoveryServiceParts) {
    this.#parts = parts;
  }

  /** Forgets what comparisons left behind that somebody broke off long ago. */
  async start(): Promise<void> {
    await this.#parts.store.forgetUnfinished(this.#parts.clock() - LONGEST_MILLISECONDS);
  }

  /** @param asOf Unix seconds: what was on chain only later does not count */
  async begin(asOf: number | undefined): Promise<RunningVerification> {
    const { store, clock } = this.#parts;
    const id = randomUUID();
    await store.begin({ id, asOf, startedAt: clock() });
    const audit = this.#audit();
    const root = new LogRoot();
    let totals: Totals = NO_ROWS;
    return {
      id,
      compare: async (documents) => {
        const compared = await this.#compareAll(documents, asOf, audit);
        await store.addRestored(id, documents.map(({ documentId }) => documentId));
        for (const { comparison } of compared) totals = counted(totals, comparison);
        return compared;
      },
      told: (row) => root.add(row),
      async finish() {
        const verification = { id, asOf, finishedAt: clock(), totals, rowsRoot: root.value };
        await store.finish(verification);
        return verification;
      },
    };
  }

  /** @param id the newest when `undefined` */
  async verification(id: string | undefined): Promise<RecoveryVerification> {
    const found = await this.#parts.store.find(id);
    if (found === undefined) {
      throw new SealbookError("not_found", id === undefined ? "nothing was verified yet" : `there is no verification ${id}`);
    }
    return found;
  }

  /** The documents that were on chain at a time, each with what was recorded of it last. */
  inventory(asOf: number | undefined, after: number, limit: number): Promise<DocumentPage> {
    return this.#documents(asOf, after, limit, async () => new Set());
  }

  /** Recorded documents that a verification did not see. */
  async gap(verification: RecoveryVerification, after: number, limit: number): Promise<DocumentPage> {
    const { store } = this.#parts;
    // What was recorded after it is not missing from it.
    const asOf = verification.asOf ?? Math.floor(verification.finishedAt / 1000);
    return this.#documents(asOf, after, limit, (ids) => store.restored(verification.id, ids));
  }

  /**
   * Anchors on chain that the journal lacks.
   * @param after The block after which to begin; `undefined` for the first one
   * @returns also the block after which to go on, when there are more
   */
  async unknownAnchors(after: number | undefined, limit: number): Promise<{ anchors: readonly LoggedAnchor[]; next: number | undefined }> {
    const { log, anchors } = this.#parts;
    const newest = await log.newestBlock();
    const found: LoggedAnchor[] = [];
    for (let from = after === undefined ? log.firstBlock : after + 1; from <= newest; from += BLOCKS_AT_ONCE) {
      const to = Math.min(newest, from + BLOCKS_AT_ONCE - 1);
      for (const anchor of await log.anchors(from, to)) {
        // Whole blocks only, so that the next page begins after one.
        if (found.length >= limit && anchor.blockNumber > (found.at(-1)?.blockNumber ?? 0)) {
          return { anchors: found, next: anchor.blockNumber - 1 };
        }
        if (!(await anchors.isKnown(anchor.hash))) found.push(anchor);
      }
    }
    return { anchors: found, next: undefined };
  }

  /** What was recorded of a document, or of a content, and holds on chain; newest first. */
  async recorded(by: { readonly documentId: string } | { readonly proofs: readonly ConfirmedProof[] }): Promise<ConfirmedProof[]> {
    const { store } = this.#parts;
    const proofs = "proofs" in by ? by.proofs : (await store.ofDocuments([by.documentId])).filter((proof) => isConfirmedBy(proof, undefined));
    const audit = this.#audit();
    const held: ConfirmedProof[] = [];
    for (const proof of proofs) if ((await audit.faultOf(proof)) === undefined) held.push(proof);
    return held;
  }

  #audit(): AnchorAudit {
    const { journal, chain, telemetry } = this.#parts;
    return new AnchorAudit(journal.anchors, chain, telemetry);
  }

  async #compareAll(documents: readonly RestoredDocument[], asOf: number | undefined, audit: AnchorAudit): Promise<ComparedDocument[]> {
    const { store } = this.#parts;
    const found = Map.groupBy(await store.ofDocuments([...new Set(documents.map(({ documentId }) => documentId))]), ({ documentId }) => documentId);
    const compared: ComparedDocument[] = [];
    for (const document of documents) {
      const proofs = found.get(document.documentId) ?? [];
      compared.push({ document, comparison: await this.#compare(document, proofs.filter((proof) => isConfirmedBy(proof, asOf)), proofs.length > 0, audit) });
    }
    return compared;
  }

  async #compare(
    { hash }: RestoredDocument,
    confirmed: readonly ConfirmedProof[],
    isKnown: boolean,
    audit: AnchorAudit,
  ): Promise<Comparison> {
    const comparison = compare(hash, confirmed);
    if (comparison === undefined) {
      const reason = isKnown ? "what is recorded of it was not on chain at that time" : undefined;
      return { result: "unrecorded", reason, recordedAs: await this.#parts.store.documentsWith(hash, MOST_OTHERS) };
    }
    const { proof } = comparison;
    const fault = await audit.faultOf(proof);
    if (fault !== undefined) return { result: "unrecorded", reason: fault, recordedAs: [] };
    if (comparison.result === "match" || comparison.earlier === undefined) return comparison;
    return (await audit.faultOf(comparison.earlier)) === undefined ? comparison : { ...comparison, earlier: undefined };
  }

  /** Documents in the order of their newest proofs, without some. */
  async #documents(
    asOf: number | undefined,
    after: number,
    limit: number,
    without: (documentIds: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<DocumentPage> {
    const { store } = this.#parts;
    const page: ConfirmedProof[] = [];
    for (let at = after; ; ) {
      const scanned = await store.proofsAfter(at, SCAN);
      const candidates = scanned.flatMap(({ sequence, proof }) => (isConfirmedBy(proof, asOf) ? [{ sequence, proof }] : []));
      const ids = [...new Set(candidates.map(({ proof }) => proof.documentId))];
      const left = await without(ids);
      const wanted = ids.filter((id) => !left.has(id));
      const newest = new Map<string, ConfirmedProof>();
      // Newest first: the first of each document is the one.
      for (const proof of wanted.length === 0 ? [] : await store.ofDocuments(wanted)) {
        if (isConfirmedBy(proof, asOf) && !newest.has(proof.documentId)) newest.set(proof.documentId, proof);
      }
      for (const { sequence, proof } of candidates) {
        if (!isSame(newest.get(proof.documentId), proof)) continue;
        if (page.length === limit) return { proofs: page, next: at };
        page.push(proof);
        at = sequence;
      }
      const last = scanned.at(-1);
      if (last === undefined || scanned.length < SCAN) return { proofs: page, next: undefined };
      at = last.sequence;
    }
  }
}

function isSame(a: ConfirmedProof | undefined, b: ConfirmedProof): boolean {
  return a !== undefined && a.anchorId === b.anchorId && a.leafIndex === b.leafIndex && a.acceptedAt === b.acceptedAt && a.metadata.timestamp === b.metadata.timestamp;
}
