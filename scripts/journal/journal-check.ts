import { type CheckedPage, checkEntries, checkExtent } from "../../server/journal/check/check-entries.ts";
import type { CheckedRow } from "../../server/journal/check/row-chain.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { proofsUnder } from "../../server/journal/entries/anchor-proofs.ts";
import type { ConfirmationEntry, ProofEntry } from "../../server/journal/entries/codec.ts";
import { type CountedHead, readHead } from "../../server/journal/entries/journal-rows.ts";
import type { JournalHead } from "../../server/journal/integrity/entry-chain.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { recordHashOf } from "../../server/journal/integrity/record-hash.ts";
import { equalBytes } from "../../server/kit/bytes.ts";
import { type AnchorFacts, checkConfirmation, isCurrent, outcomeFaults, readAnchors } from "./anchor-facts.ts";
import {
  AnchorsWithProofs,
  beginsBefore,
  beyondEntries,
  checkBatch,
  isComplete,
  type Leaf,
  OpenBatches,
} from "./batch-check.ts";
import { type AnchorQueries, ChainComparison } from "./chain-comparison.ts";
import type { Finding } from "./finding.ts";
import { BEGINNING, type ResumePoint } from "./resume-file.ts";

/** Dependencies of a check. */
export interface JournalCheckDeps {
  readonly database: Database;
  /** `undefined`: rows have to give their digests only. */
  readonly key: JournalKey | undefined;
  /** Unset: no comparison with the chain. */
  readonly chain?: AnchorQueries;
  /** Receives each finding as soon as it is determined. */
  readonly onFinding: (finding: Finding) => void;
  /** Receives the progress. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Receives, at intervals, the point up to which there are no findings. */
  readonly onResumePoint?: (resumePoint: ResumePoint) => void | Promise<void>;
}

/** The extent of a check. */
export interface CheckResult {
  /** False when the check was interrupted. */
  readonly isComplete: boolean;
  /** The entry after which the check began. */
  readonly from: number;
  /** The newest checked entry. */
  readonly to: number;
  readonly proofs: number;
  readonly confirmations: number;
  readonly accounts: number;
  /** Confirmations of checkpoints. */
  readonly checkpoints: number;
  /** Unconfirmed proofs. */
  readonly pending: number;
  /** Confirmations that were compared with the chain. */
  readonly compared: number;
  readonly findings: number;
  /** The point up to which there are no findings. */
  readonly resumePoint: ResumePoint;
}

/**
 * Checks a journal from an entry to the newest one at the start of the check: its rows, the anchors over the proofs,
 * their confirmations on chain, and the tables for finding. The check only reads and can run beside a server: entries
 * never change, and related mutable rows are read in one snapshot.
 */
export class JournalCheck {
  readonly #deps: JournalCheckDeps;
  readonly #start: ResumePoint;
  readonly #head: CountedHead;
  /** The newest checked entry, with the digest of its row. */
  #at: JournalHead;
  readonly #batches = new OpenBatches();
  readonly #anchored = new AnchorsWithProofs();
  /** Ends of pages without findings; batches that were incomplete there are not checked yet. */
  #candidates: ResumePoint[] = [];
  #resumePoint: ResumePoint;
  #counts = { proof: 0, confirmation: 0, account: 0, issuer_key: 0, verification: 0, resolution: 0, store: 0 };
  #checkpoints = 0;
  #pending = 0;
  #compared = 0;
  #findings = 0;

  private constructor(deps: JournalCheckDeps, start: ResumePoint, head: CountedHead) {
    this.#deps = deps;
    this.#start = start;
    this.#resumePoint = start;
    this.#at = start;
    this.#head = head;
  }

  /**
   * Checks the entries after a resume point.
   * @param signal Once aborted, the check ends at the next page
   */
  static async run(deps: JournalCheckDeps, start: ResumePoint = BEGINNING, signal?: AbortSignal): Promise<CheckResult> {
    return new JournalCheck(deps, start, await readHead(deps.database)).#run(signal);
  }

  async #run(signal: AbortSignal | undefined): Promise<CheckResult> {
    const { database, key, onProgress } = this.#deps;
    const { sequence: start } = this.#start;
    const total = Math.max(0, this.#head.sequence - start);
    const check = { database, key, start: this.#start, head: this.#head, readsIndex: true };
    for await (const page of checkEntries(check)) {
      await this.#page(page);
      onProgress?.(this.#at.sequence - start, total);
      await this.#keepResumePoint();
      if (signal?.aborted === true) return this.#result(false);
    }
    await this.#endBatches();
    await this.#extent();
    await this.#keepResumePoint();
    return this.#result(true);
  }

  #result(isComplete: boolean): CheckResult {
    return {
      isComplete,
      from: this.#start.sequence,
      to: this.#at.sequence,
      proofs: this.#counts.proof,
      confirmations: this.#counts.confirmation,
      accounts: this.#counts.account,
      checkpoints: this.#checkpoints,
      pending: this.#pending,
      compared: this.#compared,
      findings: this.#findings,
      resumePoint: this.#resumePoint,
    };
  }

  #report(finding: Finding): void {
    this.#findings += 1;
    this.#deps.onFinding(finding);
  }

  async #page({ rows, findings, reached }: CheckedPage): Promise<void> {
    for (const finding of findings) this.#report(finding);
    this.#at = reached;
    const confirmations: ConfirmationEntry[] = [];
    for (const row of rows) {
      for (const entry of row.entries) {
        this.#counts[entry.kind] += 1;
        if (entry.kind === "confirmation") confirmations.push(entry);
        if (entry.kind === "proof") await this.#proof(entry, row);
      }
    }
    const anchors = await this.#checkBatches();
    await this.#checkConfirmations(confirmations, anchors);
  }

  /** Adds a proof to its batch, unless it shares the leaf of an earlier one: then that has the same recorded hash. */
  async #proof(entry: ProofEntry, { first, isIntact }: CheckedRow): Promise<void> {
    const { sequence, anchor: batch, leaf, document_id: documentId } = entry;
    this.#anchored.add(batch);
    const recorded = recordHashOf(entry);
    const shared =
      this.#batches.of(batch).find((each) => each.leaf === leaf)?.recordHash ?? (await this.#earlierLeaf(entry, first));
    if (shared === undefined) this.#batches.add(batch, { sequence, leaf, recordHash: recorded, isDoubtful: !isIntact });
    else if (!equalBytes(shared, recorded))
      this.#report({ kind: "shared_leaf_differs", sequence, subject: { kind: "proof", documentId } });
  }

  /** Returns the recorded hash of an earlier proof with the leaf of this one, in a batch that is not being read. */
  async #earlierLeaf({ anchor: batch, leaf, sequence }: ProofEntry, first: number): Promise<Uint8Array | undefined> {
    const { database } = this.#deps;
    if (this.#batches.has(batch) || !(await beginsBefore(database, batch, first))) return undefined;
    const earlier = await proofsUnder(database, this.#deps.key, batch).catch(unreadable);
    const found = earlier.find((each) => each.leaf === leaf && each.sequence < sequence);
    return found && recordHashOf(found);
  }

  /** Checks the complete batches and returns the anchors that were read for this. */
  async #checkBatches(): Promise<Map<number, AnchorFacts>> {
    const anchors = await readAnchors(this.#deps.database, this.#batches.ids);
    for (const batch of [...this.#batches.ids]) {
      const anchor = anchors.get(batch);
      if (isComplete(this.#batches.of(batch), anchor)) await this.#checkBatch(batch, anchor);
    }
    return anchors;
  }

  /** Checks the batches that remain at the end: those that continue, and those with missing entries. */
  async #endBatches(): Promise<void> {
    const { database } = this.#deps;
    const anchors = await readAnchors(database, this.#batches.ids);
    for (const batch of [...this.#batches.ids]) {
      const anchor = anchors.get(batch);
      const proofs = await proofsUnder(database, this.#deps.key, batch).catch(unreadable);
      const hasLater = proofs.some(({ sequence }) => sequence > this.#head.sequence);
      const goesOn = hasLater || anchor?.hash === null;
      await this.#checkBatch(batch, anchor && hasLater ? asOpen(anchor) : anchor, goesOn);
    }
  }

  async #checkBatch(batch: number, anchor: AnchorFacts | undefined, goesOn = false): Promise<void> {
    const leaves = [...(await this.#earlier(batch)), ...this.#batches.of(batch)];
    const { findings, pending } = checkBatch(batch, leaves, anchor);
    for (const finding of findings) this.#report(finding);
    this.#pending += pending;
    if (!goesOn) this.#batches.close(batch);
  }

  /** Reads the proofs of a batch that began before the first checked entry. */
  async #earlier(batch: number): Promise<Leaf[]> {
    const { database } = this.#deps;
    const { sequence: start } = this.#start;
    if (start === 0 || !(await beginsBefore(database, batch, start + 1))) return [];
    const proofs = await proofsUnder(database, this.#deps.key, batch).catch(unreadable);
    const own = new Map<number, Leaf>();
    for (const { sequence, leaf, ...entry } of proofs) {
      if (sequence <= start && !own.has(leaf))
        own.set(leaf, { sequence, leaf, recordHash: recordHashOf(entry), isDoubtful: false });
    }
    return [...own.values()];
  }

  async #checkConfirmations(
    confirmations: readonly ConfirmationEntry[],
    known: ReadonlyMap<number, AnchorFacts>,
  ): Promise<void> {
    const { database, chain } = this.#deps;
    const unknown = confirmations.flatMap(({ anchor }) => (known.has(anchor) ? [] : [anchor]));
    const anchors = new Map([...known, ...(await readAnchors(database, unknown))]);
    const current: ConfirmationEntry[] = [];
    for (const confirmation of confirmations) {
      const anchor = anchors.get(confirmation.anchor);
      for (const finding of checkConfirmation(confirmation, anchor)) this.#report(finding);
      if (confirmation.checkpoint !== null) this.#checkpoint(anchor);
      if (anchor !== undefined && isCurrent(confirmation, anchor)) current.push(confirmation);
    }
    if (chain === undefined) return;
    this.#compared += current.length;
    await new ChainComparison(database, chain, (finding) => this.#report(finding)).compare(current);
  }

  #checkpoint(anchor: AnchorFacts | undefined): void {
    this.#checkpoints += 1;
    if (anchor === undefined) return;
    for (const fault of outcomeFaults(anchor)) this.#report({ kind: "anchor_wrong", anchor: anchor.id, fault });
  }

  /** Checks for facts of entries outside of the journal. */
  async #extent(): Promise<void> {
    const { database } = this.#deps;
    const anchorsBeyond = await beyondEntries(database, this.#head.sequence);
    for (const finding of await checkExtent(database, this.#head)) this.#report(finding);
    // What is written during the check is in the journal by now.
    const { sequence: newest } = await readHead(database);
    for (const sequence of anchorsBeyond) if (sequence > newest) this.#report({ kind: "entry_beyond", sequence });
    const { proofs } = this.#start;
    const counted = (proofs ?? 0) + this.#counts.proof;
    if (proofs !== undefined && counted !== this.#head.proofs)
      this.#report({ kind: "proofs_miscounted", counted, stored: this.#head.proofs });
    const { sequence: start } = this.#start;
    for await (const anchor of this.#anchored.others(database, start, this.#head.sequence))
      this.#report({ kind: "anchor_wrong", anchor, fault: "no_proofs" });
  }

  /**
   * Stores the end of a page as a candidate. It becomes the resume point when all batches that began before it are
   * checked, without findings.
   */
  async #keepResumePoint(): Promise<void> {
    if (this.#findings > 0) return;
    const proofs = this.#start.proofs === undefined ? undefined : this.#start.proofs + this.#counts.proof;
    this.#candidates.push({ ...this.#at, proofs });
    const { oldest } = this.#batches;
    const safe = this.#candidates.findLast((candidate) => candidate.sequence < oldest);
    if (safe === undefined || safe.sequence <= this.#resumePoint.sequence) return;
    this.#candidates = this.#candidates.filter((candidate) => candidate.sequence > safe.sequence);
    this.#resumePoint = safe;
    await this.#deps.onResumePoint?.(this.#resumePoint);
  }
}

/** An anchor that has leaves after the newest checked entry: it was open then. */
function asOpen(anchor: AnchorFacts): AnchorFacts {
  return { ...anchor, hash: null, transactionId: null, transaction: undefined };
}

/** Rows that cannot be read have a finding of their own. */
function unreadable(error: unknown): ProofEntry[] {
  if (error instanceof RangeError) return [];
  throw error;
}
