import { type CheckedPage, checkEntries, checkExtent } from "../../server/journal/check/check-entries.ts";
import type { CheckedRow } from "../../server/journal/check/row-chain.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { proofsUnder } from "../../server/journal/entries/anchor-proofs.ts";
import type { ConfirmationEntry, ProofEntry } from "../../server/journal/entries/codec.ts";
import { type CountedHead, readHead } from "../../server/journal/entries/journal-rows.ts";
import { GENESIS, type JournalHead } from "../../server/journal/integrity/entry-chain.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { recordHashOf } from "../../server/journal/integrity/record-hash.ts";
import { equalBytes } from "../../server/kit/bytes.ts";
import { type AnchorFacts, checkConfirmation, isCurrent, outcomeFaults, readAnchors } from "./anchor-facts.ts";
import { AnchorsWithProofs, beginsBefore, beyondEntries, checkBatch, isComplete, OpenBatches } from "./batch-check.ts";
import { type AnchorQueries, ChainComparison } from "./chain-comparison.ts";
import type { Finding } from "./finding.ts";

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
}

/** The extent of a check. */
export interface CheckResult {
  /** False when the check was interrupted. */
  readonly isComplete: boolean;
  /** The newest checked entry. */
  readonly to: number;
  /** The digest that is stored with its row. */
  readonly digest: Uint8Array;
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
}

/**
 * Checks a journal up to its newest entry at the start of the check: its rows, the anchors over the proofs,
 * their confirmations on chain, and the tables for finding. The check only reads and can run beside a server: entries
 * never change, and related mutable rows are read in one snapshot.
 */
export class JournalCheck {
  readonly #deps: JournalCheckDeps;
  readonly #head: CountedHead;
  /** The newest checked entry, with the digest of its row. */
  #at: JournalHead = GENESIS;
  readonly #batches = new OpenBatches();
  readonly #anchored = new AnchorsWithProofs();
  #counts = { proof: 0, confirmation: 0, account: 0, issuer_key: 0, verification: 0, resolution: 0, store: 0 };
  #checkpoints = 0;
  #pending = 0;
  #compared = 0;
  #findings = 0;

  private constructor(deps: JournalCheckDeps, head: CountedHead) {
    this.#deps = deps;
    this.#head = head;
  }

  /** @param signal Once aborted, the check ends at the next page */
  static async run(deps: JournalCheckDeps, signal?: AbortSignal): Promise<CheckResult> {
    return new JournalCheck(deps, await readHead(deps.database)).#run(signal);
  }

  async #run(signal: AbortSignal | undefined): Promise<CheckResult> {
    const { database, key, onProgress } = this.#deps;
    const check = { database, key, start: GENESIS, head: this.#head, readsIndex: true };
    for await (const page of checkEntries(check)) {
      await this.#page(page);
      onProgress?.(this.#at.sequence, this.#head.sequence);
      if (signal?.aborted === true) return this.#result(false);
    }
    await this.#endBatches();
    await this.#extent();
    return this.#result(true);
  }

  #result(isComplete: boolean): CheckResult {
    return {
      isComplete,
      to: this.#at.sequence,
      digest: this.#at.digest,
      proofs: this.#counts.proof,
      confirmations: this.#counts.confirmation,
      accounts: this.#counts.account,
      checkpoints: this.#checkpoints,
      pending: this.#pending,
      compared: this.#compared,
      findings: this.#findings,
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
      if (isComplete(this.#batches.of(batch), anchor)) this.#checkBatch(batch, anchor);
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
      this.#checkBatch(batch, anchor && hasLater ? asOpen(anchor) : anchor);
    }
  }

  #checkBatch(batch: number, anchor: AnchorFacts | undefined): void {
    const { findings, pending } = checkBatch(batch, this.#batches.of(batch), anchor);
    for (const finding of findings) this.#report(finding);
    this.#pending += pending;
    this.#batches.close(batch);
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
    const { proof: counted } = this.#counts;
    if (counted !== this.#head.proofs) this.#report({ kind: "proofs_miscounted", counted, stored: this.#head.proofs });
    for await (const anchor of this.#anchored.others(database, this.#head.sequence))
      this.#report({ kind: "anchor_wrong", anchor, fault: "no_proofs" });
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
