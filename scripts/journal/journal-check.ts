import { hex } from "../../server/kit/hex.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { equalBytes } from "../../server/kit/bytes.ts";
import type { AnchorFacts } from "./anchor-facts.ts";
import { checkBatch, isComplete, type Leaf } from "./batch-check.ts";
import { BEGINNING, type ResumePoint } from "./resume-point.ts";
import { checkConfirmation, isCurrent, outcomeFaults } from "./anchor-consistency.ts";
import type { AnchoringBlock, AnchorOnChain } from "../../server/chain/contracts/anchor-content.ts";
import type { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { chainFault } from "../../server/journal/integrity/anchor-on-chain.ts";
import { DigestChain } from "./digest-chain.ts";
import { ENTRIES_PER_BLOCK } from "../../server/journal/integrity/digest-tree.ts";
import { checkpointHashAt, wrongNodes } from "../../server/journal/entries/digest-nodes.ts";
import { SLICES } from "../../server/journal/index/key-sums.ts";
import type { JournalHead } from "../../server/journal/integrity/entry-chain.ts";
import type { Finding, Subject } from "./finding.ts";
import { KeySums } from "./key-sums.ts";
import { OpenBatches } from "./open-batches.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { anchorsWithoutProofs, readAnchors } from "./anchor-fact-rows.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { readEntries, type StoredEntry } from "../../server/journal/entries/entry-rows.ts";
import { digestFrom, nearestWhole } from "../../server/journal/entries/entry-source.ts";
import { checkKeys, checkSums, keysOf } from "./key-check.ts";
import {
  type ConfirmationEntry,
  type JournalEntry,
  encodeEntry,
  type ProofEntry,
} from "../../server/journal/entries/codec.ts";
import { firstProofAt, journalExtent, journalHead, leavesBefore } from "./check-rows.ts";

/** Entries per read: a multiple of the range length of the key sums. */
const PAGE = 2_048;
/** Cached digests for checkpoints: a checkpoint is confirmed soon after its entry. */
const KEPT_DIGESTS = 16 * PAGE;
/** Blocks that are queried concurrently. */
const BLOCKS_AT_ONCE = 16;
const STRAYS_AT_ONCE = 1_000;

/** Chain queries of a check. */
export type AnchorQueries = Pick<ProofAnchorClient, "anchorOf" | "anchoringBlock">;

/** Dependencies of a check. */
export interface JournalCheckDeps {
  readonly database: Database;
  /** Unset: no comparison with the chain. */
  readonly chain?: AnchorQueries;
  /** Receives each finding as soon as it is determined. */
  readonly onFinding: (finding: Finding) => void;
  /** Receives the progress. */
  readonly onProgress?: (stage: "entries" | "keys" | "slices", done: number, total: number) => void;
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

/** A proof at a break of the chain of digests. */
interface Doubted {
  readonly batch: number;
  readonly leaf: number;
  recorded?: "intact" | "changed" | "unknown";
  finding?: Extract<Finding, { kind: "entry_changed" }>;
}

/**
 * Checks a journal from an entry to the newest one at the start of the check: the chain of digests, the anchors over
 * the proofs, their confirmations on chain, and the proof index. The check only reads and can run beside a server:
 * entries never change, and related mutable rows are read in one snapshot.
 */
export class JournalCheck {
  readonly #deps: JournalCheckDeps;
  readonly #start: ResumePoint;
  readonly #head: JournalHead & { readonly proofs: number };
  readonly #chain: DigestChain;
  readonly #sums: KeySums;
  readonly #batches = new OpenBatches();
  readonly #doubted = new Map<number, Doubted>();
  /** By sequence, the newest ones. */
  readonly #digests = new Map<number, Uint8Array>();
  /** Digests of the blocks that the current page completes, by their last entry. */
  readonly #blocks = new Map<number, Uint8Array | undefined>();
  /** Ends of pages without findings; batches that were incomplete there are not checked yet. */
  #candidates: Omit<ResumePoint, "keys">[] = [];
  #resumePoint: ResumePoint;
  #counts = { proof: 0, confirmation: 0, account: 0, issuer_key: 0, verification: 0, resolution: 0 };
  #checkpoints = 0;
  #pending = 0;
  #compared = 0;
  #findings = 0;

  private constructor(deps: JournalCheckDeps, start: ResumePoint, head: JournalHead & { proofs: number }) {
    this.#deps = deps;
    this.#start = start;
    this.#resumePoint = start;
    this.#head = head;
    this.#chain = new DigestChain(start, (finding) => this.#fromChain(finding));
    this.#sums = new KeySums(start.sequence + 1, head.sequence, start.keys?.seeds);
    if (start.keys !== undefined) this.#sums.goOn(start.keys);
  }

  /**
   * Checks the entries after a resume point.
   * @param signal Once aborted, the check ends at the next page
   */
  static async run(deps: JournalCheckDeps, start: ResumePoint = BEGINNING, signal?: AbortSignal): Promise<CheckResult> {
    return new JournalCheck(deps, start, await journalHead(deps.database)).#run(signal);
  }

  async #run(signal: AbortSignal | undefined): Promise<CheckResult> {
    const { database, onProgress } = this.#deps;
    const { sequence: start } = this.#start;
    const total = Math.max(0, this.#head.sequence - start);
    for (let from = start; from < this.#head.sequence; from += PAGE) {
      if (signal?.aborted === true) return this.#result(false);
      const limit = Math.min(PAGE, this.#head.sequence - from);
      await this.#page(await readEntries(database, from, limit));
      onProgress?.("entries", from + limit - start, total);
      await this.#keepResumePoint(from + limit);
      // Yields the thread, which an embedded database blocks while it reads.
      await nextTurn();
    }
    if (signal?.aborted === true) return this.#result(false);
    this.#chain.end(this.#head);
    await this.#endBatches();
    await this.#extent();
    const entries = { first: start + 1, last: this.#head.sequence };
    const hasEarlier = start === 0 || this.#start.keys !== undefined;
    const proofs = (this.#start.proofs ?? this.#head.proofs) + this.#counts.proof;
    const onKeys = (done: number): void => onProgress?.("keys", done, Math.max(done, 3 * proofs));
    await checkKeys(
      database,
      { sums: this.#sums, entries, hasEarlier, proofs },
      (finding) => this.#report(finding),
      onKeys,
    );
    await checkSums(
      database,
      (finding) => this.#report(finding),
      (done) => onProgress?.("slices", done, SLICES),
    );
    await this.#keepResumePoint(this.#head.sequence);
    return this.#result(true);
  }

  #result(isWhole: boolean): CheckResult {
    return {
      isComplete: isWhole,
      from: this.#start.sequence,
      to: this.#chain.at,
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

  /** Defers the finding for a changed proof until its batch is checked. */
  #fromChain(finding: Finding): void {
    const doubted = "sequence" in finding ? this.#doubted.get(finding.sequence) : undefined;
    if (finding.kind !== "entry_changed" || doubted === undefined) return this.#report(finding);
    doubted.finding = finding;
    this.#conclude(finding.sequence, doubted);
  }

  #conclude(sequence: number, { finding, recorded }: Doubted): void {
    if (finding === undefined || recorded === undefined) return;
    this.#doubted.delete(sequence);
    this.#report({ ...finding, recorded });
  }

  async #page(entries: readonly StoredEntry[]): Promise<void> {
    const confirmations: ConfirmationEntry[] = [];
    for (const stored of entries) {
      const { entry, link } = stored;
      this.#chain.next({ sequence: entry.sequence, text: encodeEntry(entry), subject: subjectOf(entry), link });
      const { digest } = this.#chain;
      if (digest !== undefined) this.#digests.set(entry.sequence, digest);
      if (entry.sequence % ENTRIES_PER_BLOCK === 0) this.#blocks.set(entry.sequence, digest);
      this.#counts[entry.kind] += 1;
      if (entry.kind === "confirmation") confirmations.push(entry);
      if (entry.kind === "proof") {
        const taken = this.#proof(entry, stored.sharesLeaf);
        if (taken !== undefined) await taken;
      }
    }
    await this.#checkNodes();
    const anchors = await this.#checkBatches();
    await this.#checkConfirmations(confirmations, anchors);
    for (const oldest of this.#digests.keys()) {
      if (this.#digests.size <= KEPT_DIGESTS) break;
      this.#digests.delete(oldest);
    }
  }

  /** Checks the tree over the digests: each block's node is its digest, each node above is over the two below. */
  async #checkNodes(): Promise<void> {
    const blocks = Array.from(this.#blocks, ([last, digest]) => ({ last, digest }));
    this.#blocks.clear();
    for (const { last, level } of await wrongNodes(this.#deps.database, blocks))
      this.#report({ kind: "node_wrong", sequence: last, level });
  }

  /** @returns a promise to await, in the rare case that there is one */
  #proof(entry: ProofEntry, sharesLeaf: boolean): Promise<void> | undefined {
    const { sequence, batch, leaf } = entry;
    const recorded = recordHash(entry);
    for (const [key] of keysOf(entry, recorded)) this.#sums.add(key, sequence);
    const { brokenAt } = this.#chain;
    const isDoubtful = brokenAt !== undefined && brokenAt <= sequence;
    if (brokenAt === sequence) this.#doubted.set(sequence, { batch, leaf });
    if (sharesLeaf) return this.#checkSharedLeaf(entry, recorded);
    this.#batches.add(batch, { sequence, leaf, recordHash: recorded, isDoubtful });
    return undefined;
  }

  /** Checks that a proof which shares the leaf of an earlier one has the same recorded hash. */
  async #checkSharedLeaf(entry: ProofEntry, recorded: Uint8Array): Promise<void> {
    const { sequence, batch, leaf, documentId } = entry;
    const first =
      this.#batches.of(batch).find((each) => each.leaf === leaf)?.recordHash ??
      (await firstProofAt(this.#deps.database, batch, leaf, sequence));
    const isIntact = equalBytes(first, recorded);
    if (!isIntact) this.#report({ kind: "shared_leaf_differs", sequence, subject: { kind: "proof", documentId } });
    const doubted = this.#doubted.get(sequence);
    if (doubted !== undefined) doubted.recorded = isIntact ? "intact" : "changed";
  }

  /** Checks the complete batches and returns the anchors that were read for this. */
  async #checkBatches(): Promise<AnchorFacts[]> {
    const anchors = await readAnchors(this.#deps.database, "batch_id", this.#batches.ids);
    const byBatch = Map.groupBy(anchors, ({ batch }) => batch);
    for (const batch of [...this.#batches.ids]) {
      const own = byBatch.get(batch) ?? [];
      if (isComplete(this.#batches.of(batch), own)) await this.#checkBatch(batch, own);
    }
    return anchors;
  }

  /** Checks the batches that remain at the end: those that continue, and those with missing entries. */
  async #endBatches(): Promise<void> {
    const anchors = await readAnchors(this.#deps.database, "batch_id", this.#batches.ids);
    const { sequence: newest } = await journalHead(this.#deps.database);
    const byBatch = Map.groupBy(anchors, ({ batch }) => batch);
    for (const batch of [...this.#batches.ids]) {
      const own = byBatch.get(batch) ?? [];
      for (const { id, hash, lastSequence } of own) {
        if (hash !== null && lastSequence > newest) this.#report({ kind: "anchor_wrong", anchor: id, fault: "range" });
      }
      const goesOn = own.some(
        ({ hash, lastSequence }) => hash === null || (lastSequence > this.#head.sequence && lastSequence <= newest),
      );
      await this.#checkBatch(
        batch,
        own.map((anchor) => this.#asItWas(anchor, newest)),
        goesOn,
      );
    }
    for (const [sequence, doubted] of this.#doubted) {
      doubted.recorded ??= "unknown";
      this.#conclude(sequence, doubted);
    }
  }

  /** Returns an anchor as it was at the newest checked entry: an anchor that was closed later was open then. */
  #asItWas(anchor: AnchorFacts, newest: number): AnchorFacts {
    if (anchor.lastSequence <= this.#head.sequence || anchor.lastSequence > newest) return anchor;
    return { ...anchor, hash: null, transactionId: null, transaction: undefined };
  }

  async #checkBatch(batch: number, anchors: readonly AnchorFacts[], goesOn = false): Promise<void> {
    const leaves = [...(await this.#earlier(batch, anchors)), ...this.#batches.of(batch)];
    const { findings, provesLeaf, pending } = checkBatch(batch, leaves, anchors);
    for (const finding of findings) this.#report(finding);
    this.#pending += pending;
    for (const [sequence, doubted] of this.#doubted) {
      if (doubted.batch !== batch) continue;
      doubted.recorded ??= provesLeaf(doubted.leaf);
      this.#conclude(sequence, doubted);
    }
    if (!goesOn) this.#batches.close(batch);
  }

  /** Reads the proofs of a batch that began before the first checked entry. */
  async #earlier(batch: number, anchors: readonly AnchorFacts[]): Promise<Leaf[]> {
    const { sequence: start } = this.#start;
    const first = Math.min(...anchors.map(({ firstSequence }) => firstSequence));
    if (first > start) return [];
    return leavesBefore(this.#deps.database, batch, first, start);
  }

  async #checkConfirmations(confirmations: readonly ConfirmationEntry[], known: readonly AnchorFacts[]): Promise<void> {
    const { database, chain } = this.#deps;
    const anchors = new Map(known.map((anchor) => [anchor.id, anchor]));
    const unknown = confirmations.filter(({ anchor }) => !anchors.has(anchor));
    for (const anchor of await readAnchors(
      database,
      "id",
      unknown.map(({ anchor: id }) => id),
    ))
      anchors.set(anchor.id, anchor);
    const current: ConfirmationEntry[] = [];
    for (const confirmation of confirmations) {
      const anchor = anchors.get(confirmation.anchor);
      const siblings = anchor === undefined ? await readAnchors(database, "batch_id", [confirmation.batch]) : [];
      for (const finding of checkConfirmation(confirmation, anchor, siblings)) this.#report(finding);
      if (confirmation.checkpoint !== null) await this.#checkpoint(confirmation, confirmation.checkpoint, anchor);
      if (anchor !== undefined && isCurrent(confirmation, anchor)) current.push(confirmation);
    }
    if (chain !== undefined) await this.#compareWithChain(chain, current);
  }

  /** Checks that the hash of a checkpoint is the computed digest of its entry. */
  async #checkpoint(
    { sequence, hash }: ConfirmationEntry,
    checkpoint: number,
    anchor: AnchorFacts | undefined,
  ): Promise<void> {
    this.#checkpoints += 1;
    if (anchor !== undefined) {
      for (const fault of outcomeFaults(anchor)) this.#report({ kind: "anchor_wrong", anchor: anchor.id, fault });
    }
    const digest = this.#digests.get(checkpoint) ?? (await this.#digestAt(checkpoint));
    const expected = digest && (await this.#checkpointHash({ sequence: checkpoint, digest }));
    if (!equalBytes(expected, hash)) this.#report({ kind: "checkpoint_differs", sequence, checkpoint });
  }

  /** Returns the content of a checkpoint; `undefined` when a node of the tree is missing. */
  async #checkpointHash(head: JournalHead): Promise<Uint8Array | undefined> {
    return checkpointHashAt(this.#deps.database, head).catch(() => undefined);
  }

  /** Returns the digest of an earlier entry; `undefined` when it cannot be determined. */
  async #digestAt(sequence: number): Promise<Uint8Array | undefined> {
    const { database } = this.#deps;
    return digestFrom(database, await nearestWhole(database, sequence), sequence).catch(() => undefined);
  }

  async #compareWithChain(chain: AnchorQueries, confirmations: readonly ConfirmationEntry[]): Promise<void> {
    const blocks = [...Map.groupBy(confirmations, ({ blockNumber }) => blockNumber)].values();
    const worker = async (): Promise<void> => {
      // All workers draw from the one iterator.
      for (const [number, inBlock] of blocks) {
        const mined = await chain.anchoringBlock(number);
        await Promise.all(inBlock.map((confirmation) => this.#compareOneWithChain(chain, confirmation, mined)));
      }
    };
    await Promise.all(Array.from({ length: BLOCKS_AT_ONCE }, worker));
  }

  async #compareOneWithChain(
    chain: AnchorQueries,
    confirmation: ConfirmationEntry,
    mined: AnchoringBlock | undefined,
  ): Promise<void> {
    this.#compared += 1;
    const { hash, contract, blockNumber } = confirmation;
    if (onChainFinding(confirmation, await chain.anchorOf(hash, contract), mined) === undefined) return;
    // A chain reorganization between the requests can replace the newest blocks, and the journal may have recorded
    // that.
    const [onChain, minedNow] = await Promise.all([chain.anchorOf(hash, contract), chain.anchoringBlock(blockNumber)]);
    const finding = onChainFinding(confirmation, onChain, minedNow);
    const [anchor] = await readAnchors(this.#deps.database, "id", [confirmation.anchor]);
    if (finding !== undefined && anchor !== undefined && isCurrent(confirmation, anchor)) this.#report(finding);
  }

  /** Checks for entries outside of the processed range. */
  async #extent(): Promise<void> {
    const { database } = this.#deps;
    const { oldest, newest, head } = await journalExtent(database);
    if (newest > head) this.#report({ kind: "entry_beyond", sequence: newest, newest: head });
    if (oldest < 1) this.#report({ kind: "entry_beyond", sequence: oldest, newest: head });
    const { proofs } = this.#start;
    const counted = (proofs ?? 0) + this.#counts.proof;
    if (proofs !== undefined && counted !== this.#head.proofs)
      this.#report({ kind: "proofs_miscounted", counted, stored: this.#head.proofs });
    for (let after = 0; ;) {
      const ids = await anchorsWithoutProofs(database, after, STRAYS_AT_ONCE);
      for (const anchor of ids) this.#report({ kind: "anchor_wrong", anchor, fault: "no_proofs" });
      if (ids.length < STRAYS_AT_ONCE) break;
      after = ids.at(-1) ?? after;
    }
  }

  /**
   * Stores the end of a page as a candidate. It becomes the resume point when all batches that began before it are
   * checked, without findings.
   */
  async #keepResumePoint(sequence: number): Promise<void> {
    const { digest, brokenAt } = this.#chain;
    if (this.#findings > 0 || brokenAt !== undefined || digest === undefined || this.#doubted.size > 0) return;
    const proofs = this.#start.proofs === undefined ? undefined : this.#start.proofs + this.#counts.proof;
    this.#candidates.push({ sequence, digest, proofs });
    const { oldest } = this.#batches;
    const safe = this.#candidates.findLast((candidate) => candidate.sequence < oldest);
    if (safe === undefined || safe.sequence <= this.#resumePoint.sequence) return;
    this.#candidates = this.#candidates.filter((candidate) => candidate.sequence > safe.sequence);
    const hasEarlier = this.#start.sequence === 0 || this.#start.keys !== undefined;
    this.#resumePoint = { ...safe, keys: hasEarlier ? this.#sums.upTo(safe.sequence) : undefined };
    await this.#deps.onResumePoint?.(this.#resumePoint);
  }
}

/** Compares the contents of a confirmation with the chain. */
function onChainFinding(
  confirmation: ConfirmationEntry,
  onChain: AnchorOnChain | undefined,
  mined: AnchoringBlock | undefined,
): Finding | undefined {
  const { sequence, anchor, transactionHash, blockNumber, blockHash: hash, blockTime: time } = confirmation;
  const inclusion = { transactionHash, block: { number: blockNumber, hash, time } };
  const fault = chainFault(confirmation, inclusion, onChain, mined);
  return fault && { kind: "chain_differs", sequence, anchor, block: blockNumber, fault };
}

function subjectOf(entry: JournalEntry): Subject {
  switch (entry.kind) {
    case "proof":
      return { kind: "proof", documentId: entry.documentId };
    case "confirmation":
      return { kind: "confirmation", anchor: entry.anchor };
    case "account":
      return { kind: "account", address: entry.address };
    case "verification":
      return { kind: "verification", id: entry.id };
    case "resolution":
      return { kind: "resolution", divergence: entry.divergence };
    case "issuer_key":
      return { kind: "issuer_key", publicKey: hex(entry.publicKey) };
  }
}
