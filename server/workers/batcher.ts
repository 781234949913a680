import { setTimeout as sleep } from "node:timers/promises";
import type { BlockHead } from "../domain/block.ts";
import { MAX_TREE_SIZE, merkleTree } from "../domain/merkle.ts";
import type { AnchorChain, Clock, Journal, Telemetry, Transactions } from "../domain/ports.ts";
import type { StoredAnchor } from "../domain/proofs/anchor.ts";
import type { ProofIntake } from "../domain/proofs/anchoring.ts";
import type { AnchorTrees } from "../domain/proofs/anchor-trees.ts";
import { type BatchingRules, closingTime } from "../domain/proofs/batching.ts";
import { nextBlocks, type SeenBlock, withBlock } from "../domain/proofs/block-rhythm.ts";
import { place, type Placement, type Placements } from "../domain/proofs/placement.ts";
import type { NewProof } from "../domain/proofs/proof.ts";
import { SealbookError } from "../errors.ts";
import type { AnchorFollower } from "./anchor-follower.ts";

/** Bulk requests that share a write to disk: each is up to a thousand rows. */
const BULKS_AT_ONCE = 4;
/** Open anchors of another relayer that are older than this are closed in its place. */
const TAKE_OVER_MILLISECONDS = 60_000;
const TAKE_OVER_INTERVAL_MILLISECONDS = 10_000;
/** Before a journal that failed is written to again. */
const JOURNAL_PAUSE_MILLISECONDS = 500;
/** When it is worth trying again after a refusal. */
const OVERLOADED_RETRY_SECONDS = 5;

export interface BatcherParts {
  readonly journal: Journal;
  readonly chain: Pick<AnchorChain, "anchorCall">;
  readonly transactions: Pick<Transactions, "wake">;
  readonly follower: AnchorFollower;
  readonly trees: AnchorTrees;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly rules: BatchingRules;
  /** Proofs on their way, after which no more are taken. */
  readonly maxOutstanding: number;
}

/** The batch that takes single proofs; as it is on disk. */
interface OpenBatch {
  readonly anchorId: number;
  readonly openedAt: number;
  readonly hashes: readonly Uint8Array[];
}

/** One or many proofs that wait to be written. */
interface Request<Answer> {
  readonly proofs: readonly NewProof[];
  answer(placements: readonly Placement[]): Answer;
  fail(cause: unknown): void;
}

/** What a write to disk did; nothing of it holds before the write has succeeded. */
interface Written {
  readonly answers: (() => void)[];
  /** New proofs. */
  accepted: number;
  readonly placed: { readonly anchorId: number; readonly acceptedAt: readonly number[] }[];
  readonly closed: {
    readonly anchor: StoredAnchor;
    /** Whether it took single proofs, and not one bulk request. */
    readonly shared: boolean;
    readonly keepTree: (() => void) | undefined;
  }[];
  open: OpenBatch | undefined;
}

/**
 * Takes proofs in and closes batches. Whatever arrives while a write to disk is under way goes into the next write
 * together, and whatever arrives while a batch is open goes on chain together: {@link closingTime} says how long.
 */
export class Batcher implements ProofIntake {
  readonly #parts: BatcherParts;
  #singles: Request<void>[] = [];
  #bulks: Request<void>[] = [];
  /** Proofs in the two lists. */
  #queued = 0;
  #open: OpenBatch | undefined;
  /** Closed batches of single proofs that have no outcome yet. */
  readonly #underWay = new Set<number>();
  #seen: readonly SeenBlock[] = [];
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #takeOver: NodeJS.Timeout | undefined;
  #stopped = true;

  constructor(parts: BatcherParts) {
    this.#parts = parts;
    parts.follower.onSettled((anchorId) => {
      if (this.#underWay.delete(anchorId)) this.#wake();
    });
  }

  accept(proof: NewProof): Promise<Placement> {
    return this.#enqueue(this.#singles, [proof], ([placement]) => placement);
  }

  acceptTogether(proofs: readonly NewProof[]): Promise<readonly Placement[]> {
    return this.#enqueue(this.#bulks, proofs, (placements) => placements);
  }

  /** Told of every new block: the rhythm of the chain is that of the batches. */
  onHead(head: BlockHead): void {
    this.#seen = withBlock(this.#seen, { ...head, seenAt: this.#parts.clock() });
    this.#wake();
  }

  /** Closes what was left open, and follows what is on its way. */
  async start(): Promise<void> {
    const { journal, follower } = this.#parts;
    for (const anchor of await journal.anchors.unsettled()) {
      if (anchor.outcome.state === "pending") follower.closed(anchor);
    }
    this.#stopped = false;
    await this.#closeLeftOpen(0);
    this.#takeOver = setInterval(() => {
      this.#closeLeftOpen(this.#parts.clock() - TAKE_OVER_MILLISECONDS).catch(() => undefined);
    }, TAKE_OVER_INTERVAL_MILLISECONDS);
  }

  /** Writes what was taken in; what is open then stays so, and is closed by the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#takeOver);
    while (this.#work !== undefined) await this.#work;
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #enqueue<Answer>(
    list: Request<void>[],
    proofs: readonly NewProof[],
    answerOf: (placements: readonly Placement[]) => Answer | undefined,
  ): Promise<Answer> {
    const { follower, maxOutstanding } = this.#parts;
    if (follower.outstanding + this.#queued + proofs.length > maxOutstanding) {
      throw new SealbookError("overloaded", `${maxOutstanding} proofs wait for the chain already; none more is taken now`, {
        retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
      });
    }
    this.#queued += proofs.length;
    return new Promise((resolve, reject) => {
      list.push({
        proofs,
        answer(placements) {
          const answer = answerOf(placements);
          if (answer === undefined) reject(new SealbookError("internal", "a proof was given no place"));
          else resolve(answer);
        },
        fail: reject,
      });
      this.#wake();
    });
  }

  #wake(): void {
    if (this.#work !== undefined || this.#stopped) return;
    this.#work = this.#run().finally(() => {
      this.#work = undefined;
      this.#schedule();
    });
  }

  async #run(): Promise<void> {
    // One turn later, so that requests which arrived in the same packet are written together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#singles.length > 0 || this.#bulks.length > 0 || this.#isDue(this.#open)) {
      const room = MAX_TREE_SIZE - (this.#open?.hashes.length ?? 0);
      const singles = this.#singles.splice(0, room);
      const bulks = this.#bulks.splice(0, BULKS_AT_ONCE);
      this.#queued -= singles.length + bulks.reduce((sum, { proofs }) => sum + proofs.length, 0);
      try {
        this.#apply(await this.#parts.journal.atomically((atomic) => this.#write(atomic, singles, bulks)));
      } catch (cause) {
        const error = new SealbookError("journal_unavailable", "the journal cannot be written; nothing was accepted", {
          cause,
          retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
        });
        for (const request of [...singles, ...bulks]) request.fail(error);
        this.#parts.telemetry.journalFailing(cause);
        await sleep(JOURNAL_PAUSE_MILLISECONDS);
      }
    }
  }

  /** Comes back when the open batch is due. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    if (this.#singles.length > 0 || this.#bulks.length > 0) return this.#wake();
    if (this.#open === undefined) return;
    const now = this.#parts.clock();
    this.#timer = setTimeout(() => this.#wake(), Math.max(1, this.#closingTime(this.#open) - now));
  }

  #closingTime(open: OpenBatch): number {
    const { clock, rules } = this.#parts;
    const now = clock();
    return closingTime(
      {
        size: open.hashes.length,
        openedAt: open.openedAt,
        underWay: this.#underWay.size,
        nextBlocks: nextBlocks(this.#seen, now),
      },
      rules,
      now,
    );
  }

  #isDue(open: OpenBatch | undefined): open is OpenBatch {
    return open !== undefined && this.#closingTime(open) <= this.#parts.clock();
  }

  async #write(atomic: Journal, singles: readonly Request<void>[], bulks: readonly Request<void>[]): Promise<Written> {
    const written: Written = { answers: [], accepted: 0, placed: [], closed: [], open: this.#open };
    // Another relayer may have closed it, taking this one for dead.
    if (this.#open !== undefined && !(await atomic.anchors.isOpen(this.#open.anchorId))) written.open = undefined;
    if (singles.length > 0) {
      const { placed, hashes, batch } = await this.#place(atomic, singles.flatMap(({ proofs }) => proofs), written.open, written);
      if (batch !== undefined) written.open = { ...batch, hashes: [...batch.hashes, ...hashes] };
      for (const [index, request] of singles.entries()) written.answers.push(() => request.answer(placed.slice(index, index + 1)));
    }
    if (this.#isDue(written.open)) {
      await this.#close(atomic, written.open.anchorId, written.open.hashes, true, written);
      written.open = undefined;
    }
    for (const request of bulks) {
      const { placed, hashes, batch } = await this.#place(atomic, request.proofs, undefined, written);
      if (batch !== undefined) await this.#close(atomic, batch.anchorId, hashes, false, written);
      written.answers.push(() => request.answer(placed));
    }
    return written;
  }

  /** Writes proofs into a batch, which is opened when it is needed. */
  async #place(
    atomic: Journal,
    proofs: readonly NewProof[],
    open: OpenBatch | undefined,
    written: Written,
  ): Promise<Placements & { batch: OpenBatch | undefined }> {
    const known = await atomic.proofs.byRecordHashes(proofs.map(({ recordHash }) => recordHash));
    let batch = open;
    let placements = place(proofs, known, { anchorId: open?.anchorId ?? 0, size: open?.hashes.length ?? 0 });
    if (batch === undefined && placements.hashes.length > 0) {
      const openedAt = this.#parts.clock();
      batch = { anchorId: await atomic.anchors.open(openedAt), openedAt, hashes: [] };
      placements = place(proofs, known, { anchorId: batch.anchorId, size: 0 });
    }
    await atomic.proofs.insert(placements.added);
    written.accepted += placements.added.length;
    if (batch !== undefined) {
      const { anchorId } = batch;
      const own = placements.added.filter((proof) => proof.anchorId === anchorId);
      written.placed.push({ anchorId, acceptedAt: own.map(({ acceptedAt }) => acceptedAt) });
    }
    return { ...placements, batch };
  }

  /** Gives an anchor its content and its transaction. A single proof that is alone goes as it is, without a root. */
  async #close(
    atomic: Journal,
    anchorId: number,
    hashes: readonly Uint8Array[],
    shared: boolean,
    written: Pick<Written, "closed">,
  ): Promise<void> {
    const [only] = hashes;
    const tree = shared && hashes.length === 1 ? undefined : merkleTree(hashes);
    const hash = tree?.root ?? only;
    if (hash === undefined) throw new SealbookError("internal", `anchor ${anchorId} is empty`);
    const content = { hash, size: tree?.size ?? 0 };
    const transactionId = await atomic.intents.insert(this.#parts.chain.anchorCall(content));
    await atomic.anchors.close(anchorId, { ...content, transactionId });
    written.closed.push({
      anchor: { id: anchorId, ...content, transactionId, outcome: { state: "pending" } },
      shared,
      keepTree: tree && (() => this.#parts.trees.keep(anchorId, tree)),
    });
  }

  /** Takes over what is on disk now, and tells everybody. */
  #apply({ answers, accepted, placed, closed, open }: Written): void {
    const { follower, telemetry, transactions } = this.#parts;
    this.#open = open;
    telemetry.proofsAccepted(accepted);
    for (const { anchorId, acceptedAt } of placed) follower.placed(anchorId, acceptedAt);
    for (const { anchor, shared, keepTree } of closed) {
      keepTree?.();
      if (shared) this.#underWay.add(anchor.id);
      follower.closed(anchor);
      telemetry.batchClosed(anchor.size);
    }
    if (closed.length > 0) transactions.wake();
    for (const answer of answers) answer();
  }

  /** Closes anchors that were open when their process ended: this one before its start, or another. */
  async #closeLeftOpen(othersBefore: number): Promise<void> {
    const closed = await this.#parts.journal.atomically(async (atomic) => {
      const written: Pick<Written, "closed"> = { closed: [] };
      for (const anchorId of await atomic.anchors.leftOpen(othersBefore)) {
        if (anchorId === this.#open?.anchorId) continue;
        await this.#close(atomic, anchorId, await atomic.anchors.leaves(anchorId), true, written);
      }
      return written.closed;
    });
    for (const { anchor } of closed) this.#parts.follower.closed(anchor);
    if (closed.length > 0) this.#parts.transactions.wake();
  }
}
