import { randomUUID } from "node:crypto";
import type { LoggedAnchor } from "../chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { Issuer } from "../issuer/issuer.ts";
import type { Clock } from "../kit/time.ts";
import {
  assertUndamaged,
  type ConfirmedProof,
  type ProofCheck,
  type ProofJournal,
  type StoredProof,
} from "../proofs/index.ts";
import { SealbookError } from "../errors.ts";
import type { EntryVerifier, VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { InventorySearch } from "./candidates.ts";
import { inOrder } from "./in-order.ts";
import { type DocumentPage, Inventory } from "./inventory.ts";
import type { ListedState } from "./newest-proofs.ts";
import type { VerificationRetention } from "./verification-retention.ts";
import { type ComparedDocument, type Run, RunningVerification } from "./running-verification.ts";
import {
  type Comparison,
  isConfirmedBy,
  type RecordedVerification,
  type RestoredDocument,
  RESULT_TYPE,
  resultText,
  type SignedVerification,
} from "./verification.ts";
import { newestOfHash, proofsOf } from "./store.ts";
import type { VerificationStore } from "./verification-store.ts";
import { equalBytes, hex } from "../kit/bytes.ts";

/** Maximum number of other documents reported for the same content, and of proofs read to find them. */
const MOST_OTHERS = 10;
const MOST_OTHERS_LOOKED_AT = 20;
const BLOCKS_AT_ONCE = 1_000;
/** The default verification of a caller without any. */
const NONE =
  "this caller has no verification that is kept; select one with verification_id, or compare the documents again";

export interface RecoveryServiceDeps {
  readonly journal: Pick<ProofJournal, "anchors">;
  readonly verifications: VerificationStore;
  readonly retention: VerificationRetention;
  readonly verifier: Pick<EntryVerifier, "begin">;
  readonly chain: Pick<ProofAnchorClient, "firstBlock" | "newestBlock" | "anchors">;
  /** Begins to check proofs for one request. */
  readonly beginCheck: () => ProofCheck;
  /** Throws SealbookError `journal_damaged` while the index is known to miss records. */
  readonly assertFindable: () => void;
  readonly issuer: Pick<Issuer, "sign" | "hasSigned">;
  readonly clock: Clock;
  /** @throws SealbookError `not_leader` when this relayer does not sign */
  readonly assertLeads: () => void;
}

/** Compares documents restored after a disaster with their records. */
export class RecoveryService {
  readonly #deps: RecoveryServiceDeps;

  constructor(deps: RecoveryServiceDeps) {
    this.#deps = deps;
  }

  /** @throws SealbookError `not_leader` when another relayer compares, because the result is signed */
  assertLeads(): void {
    this.#deps.assertLeads();
  }

  /**
   * Begins a comparison.
   * @param asOf Unix seconds: records that were on chain only later are ignored
   * @param caller For whom it is retained; `undefined` when it is not
   */
  async begin(asOf: number | undefined, caller: string | undefined): Promise<RunningVerification> {
    const { retention, verifier, issuer, clock } = this.#deps;
    const id = randomUUID();
    const checked = verifier.begin();
    const run = { asOf, newestEntry: await checked.newest(), check: this.#deps.beginCheck(), checked };
    return new RunningVerification({
      id,
      run,
      retained: caller === undefined ? undefined : await retention.begin(id, caller),
      compare: (documents) => this.#compareAll(documents, run),
      issuer,
      clock,
    });
  }

  /**
   * Finds a comparison.
   * @param id Its id; `undefined` for the newest one of the caller
   */
  async verification(id: string | undefined, caller?: string): Promise<RecordedVerification> {
    const { verifications, verifier } = this.#deps;
    const found =
      id !== undefined
        ? await verifications.find(id)
        : caller === undefined
          ? undefined
          : await verifications.newest(caller);
    if (found === undefined)
      throw new SealbookError("not_found", id === undefined ? NONE : `there is no verification ${id}`);
    const entries = verifier.begin();
    const entry = await entries.entry(found.sequence);
    if (entry.kind !== "verification" || entry.id !== found.id)
      return entries.damaged(`entry ${found.sequence} is not the result of verification ${found.id}`);
    const { match, mismatch, unrecorded, pending, documents } = entry;
    return {
      id: entry.id,
      asOf: entry.as_of ?? undefined,
      newestEntry: entry.newest_entry,
      finishedAt: entry.finished_at,
      totals: { documents: match + mismatch + unrecorded + pending, match, mismatch, unrecorded, pending },
      rowsRoot: entry.rows_root,
      documents,
      signed: entry.signed ?? undefined,
    };
  }

  /**
   * Finds a comparison whose result was signed when it ended.
   * @throws SealbookError `conflict` when it was not; `journal_damaged` when the signature is of another result
   */
  async signedVerification(id: string): Promise<SignedVerification> {
    const found = await this.verification(id);
    const { signed } = found;
    if (signed === undefined)
      throw new SealbookError(
        "conflict",
        `the result of verification ${id} was not signed when it ended; compare the documents again`,
      );
    if (!(await this.#deps.issuer.hasSigned(signed, resultText(found), RESULT_TYPE)))
      throw new SealbookError(
        "journal_damaged",
        `the result of verification ${id} is not one that this server signed when the comparison ended, or the key ` +
          "of its signature is not in issuer-keys.json",
      );
    return { ...found, signed };
  }

  /** Returns what a list in pages is about: it has nothing that was recorded later. */
  async state(): Promise<ListedState> {
    const { chain, verifier } = this.#deps;
    // In this order: what is in a block by then is in the journal.
    const newestBlock = await chain.newestBlock();
    return { newestBlock, newestEntry: await verifier.begin().newest() };
  }

  /**
   * Returns documents that were on chain at a time, each with its newest record, newest first.
   * @param before The entry before which the page begins; `undefined` for the first page
   */
  async inventory(
    search: InventorySearch & Pick<RecordedVerification, "asOf">,
    state: ListedState,
    before: number | undefined,
    limit: number,
  ): Promise<DocumentPage> {
    const page = await this.#documents({ ...state, asOf: search.asOf }).page(before, limit, search);
    // The keys of a hash that are missing hide its documents.
    if (search.hash !== undefined && page.next === undefined) this.#deps.assertFindable();
    return page;
  }

  /** Returns recorded documents that are not in a comparison, newest first. */
  gap(
    verification: RecordedVerification,
    { newestBlock }: Pick<ListedState, "newestBlock">,
    before: number | undefined,
    limit: number,
  ): Promise<DocumentPage> {
    const without = (ids: readonly string[], checked: VerifiedEntries) =>
      this.#deps.verifications.restored(verification, ids, checked);
    return this.#documents({ ...verification, newestBlock }).page(before, limit, {}, without);
  }

  #documents({ asOf, newestEntry, newestBlock }: ListedState & Pick<RecordedVerification, "asOf">): Inventory {
    const { verifier, beginCheck } = this.#deps;
    return new Inventory({ checked: verifier.begin(), check: beginCheck(), asOf, newestEntry, newestBlock });
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

  async #compareAll(documents: readonly RestoredDocument[], run: Run): Promise<ComparedDocument[]> {
    const { checked } = run;
    const ids = new Set(documents.map(({ documentId }) => documentId));
    const found = Map.groupBy(await proofsOf([...ids], checked), ({ documentId }) => documentId);
    // A content that many files have, such as the empty file, is looked up once.
    const others = new Map<string, Promise<string[]>>();
    const recordedAs = (hash: Uint8Array): Promise<string[]> => {
      const key = hex(hash);
      const names = others.get(key) ?? this.#recordedAs(hash, run);
      others.set(key, names);
      return names;
    };
    return inOrder(documents, async (document) => {
      const proofs = found.get(document.documentId) ?? [];
      const comparison = await this.#compare(document, proofs, run);
      if (comparison !== undefined) return { document, comparison };
      if (proofs.length === 0) this.#deps.assertFindable();
      const reason = proofs.length > 0 ? "what is recorded of it was not on chain at that time" : undefined;
      return { document, comparison: { result: "unrecorded", reason, recordedAs: await recordedAs(document.hash) } };
    });
  }

  /**
   * Compares a document with its newest record that was on chain at the time.
   * @param proofs Newest first
   * @returns `undefined` when nothing was on chain
   */
  async #compare(
    { hash }: RestoredDocument,
    proofs: readonly StoredProof[],
    { asOf, check }: Run,
  ): Promise<Comparison | undefined> {
    const { clock } = this.#deps;
    for (const [index, proof] of proofs.entries()) {
      // Later records are checked as well: a changed time must not hide one.
      const result = await check.of(proof);
      assertUndamaged(result);
      if (result.state === "contradicted")
        return { result: "unrecorded", reason: result.fault, isContradictory: true, recordedAs: [] };
      // It will have a later time than now.
      if (result.state === "pending" && (asOf === undefined || asOf * 1000 >= clock()))
        return { result: "pending", proof };
      if (result.state !== "confirmed" || !isConfirmedBy(result.proof, asOf)) continue;
      if (equalBytes(result.proof.hash, hash)) return { result: "match", proof: result.proof };
      const older = proofs.slice(index + 1).filter((each) => equalBytes(each.hash, hash));
      return { result: "mismatch", proof: result.proof, earlier: await this.#newestOf(older, asOf, check) };
    }
    return undefined;
  }

  /** @param proofs Newest first */
  async #newestOf(
    proofs: readonly StoredProof[],
    asOf: number | undefined,
    check: ProofCheck,
  ): Promise<ConfirmedProof | undefined> {
    for (const proof of proofs) {
      const result = await check.of(proof);
      if (result.state === "confirmed" && isConfirmedBy(result.proof, asOf)) return result.proof;
    }
    return undefined;
  }

  /** Returns some of the documents with a record of a content. */
  async #recordedAs(hash: Uint8Array, { asOf, check, checked }: Run): Promise<string[]> {
    const names = new Set<string>();
    const { proofs } = await newestOfHash(hash, Infinity, MOST_OTHERS_LOOKED_AT, checked);
    for (const proof of proofs) {
      if (names.size === MOST_OTHERS) break;
      if (names.has(proof.documentId)) continue;
      const result = await check.of(proof);
      if (result.state === "confirmed" && isConfirmedBy(result.proof, asOf)) names.add(proof.documentId);
    }
    return [...names];
  }
}
