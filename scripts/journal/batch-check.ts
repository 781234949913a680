import type { Database } from "../../server/journal/engine/database.ts";
import type { Finding } from "./finding.ts";
import { giveContent, hashesUnder } from "../../server/journal/integrity/stored-anchor.ts";
import { MAX_TREE_SIZE } from "../../server/kit/tree-size.ts";
import { type AnchorFacts, outcomeFaults } from "./anchor-facts.ts";

/** Returns whether reading a batch begins before an entry. */
export async function beginsBefore(database: Database, batch: number, sequence: number): Promise<boolean> {
  const row = await database
    .selectFrom("anchors")
    .select("id")
    .where("id", "=", batch)
    .where("first_sequence", "<", sequence)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns where anchors begin after the newest entry: the journal was shortened. */
export async function beyondEntries(database: Database, newest: number): Promise<number[]> {
  const rows = await database
    .selectFrom("anchors")
    .select("first_sequence")
    .distinct()
    .where("first_sequence", ">", newest)
    .orderBy("first_sequence")
    .execute();
  return rows.map((row) => row.first_sequence);
}

const IDS_AT_ONCE = 10_000;
const BITS = 8;

/** The anchors that proofs are under: a bit for each id. */
export class AnchorsWithProofs {
  /** Bytes, by the id divided by eight. */
  readonly #bytes = new Map<number, number>();

  add(id: number): void {
    const at = Math.floor(id / BITS);
    this.#bytes.set(at, (this.#bytes.get(at) ?? 0) | (1 << (id % BITS)));
  }

  #has(id: number): boolean {
    return ((this.#bytes.get(Math.floor(id / BITS)) ?? 0) & (1 << (id % BITS))) !== 0;
  }

  /** Returns the other anchors that begin among the checked entries; checkpoints have no proofs. */
  async *others(database: Database, upTo: number): AsyncGenerator<number> {
    for (let last: number | undefined = 0; last !== undefined;) {
      const rows: { id: number; first: number; checkpoint: number | null }[] = await database
        .selectFrom("anchors")
        .select(["id", "first_sequence as first", "checkpoint"])
        .where("id", ">", last)
        .orderBy("id")
        .limit(IDS_AT_ONCE)
        .execute();
      for (const { id, first, checkpoint } of rows)
        if (checkpoint === null && first <= upTo && !this.#has(id)) yield id;
      last = rows.at(-1)?.id;
    }
  }
}

/** The proofs of batches that may be incomplete. */
export class OpenBatches {
  readonly #batches = new Map<number, Leaf[]>();

  add(batch: number, leaf: Leaf): void {
    const leaves = this.#batches.get(batch);
    if (leaves === undefined) this.#batches.set(batch, [leaf]);
    else leaves.push(leaf);
  }

  get ids(): Iterable<number> {
    return this.#batches.keys();
  }

  has(batch: number): boolean {
    return this.#batches.has(batch);
  }

  of(batch: number): readonly Leaf[] {
    return this.#batches.get(batch) ?? [];
  }

  close(batch: number): void {
    this.#batches.delete(batch);
  }
}

/** A proof and its leaf index. */
export interface Leaf {
  readonly sequence: number;
  readonly leaf: number;
  readonly recordHash: Uint8Array;
  /** Whether the entry is suspect because of another finding. */
  readonly isDoubtful: boolean;
}

/** Result of the check of a batch. */
interface BatchVerdict {
  readonly findings: readonly Finding[];
  /** Number of unconfirmed leaves. */
  readonly pending: number;
}

/** Returns whether every leaf under the anchor of a batch is present. */
export function isComplete(leaves: readonly Leaf[], anchor: AnchorFacts | undefined): boolean {
  const highest = leaves.reduce((most, { leaf }) => Math.max(most, leaf), -1);
  return anchor !== undefined && anchor.hash !== null && hashesUnder(anchor) <= highest + 1;
}

/** Returns the number of leaves that can be under an anchor; an open one has no end yet, a checkpoint has none. */
function leavesUnder(anchor: AnchorFacts | undefined): number {
  if (anchor === undefined || anchor.checkpoint !== null) return 0;
  return anchor.hash === null ? MAX_TREE_SIZE : hashesUnder(anchor);
}

/**
 * Compares the proofs of a batch with its anchor: each leaf has one proof, and the leaves give the anchored hash.
 * @param batch The id of its anchor
 * @param leaves All proofs of the batch except those that share a leaf
 * @param anchor `undefined` when it is not there
 */
export function checkBatch(batch: number, leaves: readonly Leaf[], anchor: AnchorFacts | undefined): BatchVerdict {
  const findings: Finding[] = [];
  const inOrder = leaves.toSorted((a, b) => a.leaf - b.leaf || a.sequence - b.sequence);
  const size = leavesUnder(anchor);
  findLeaves(batch, inOrder, anchor?.hash == null ? 0 : size, findings);
  const [first, ...rest] = inOrder.filter(({ leaf }) => leaf >= size);
  if (first !== undefined) {
    const { leaf, sequence } = first;
    findings.push({ kind: "leaf_unanchored", batch, leaf, last: rest.at(-1)?.leaf ?? leaf, sequence });
  }
  if (anchor === undefined) return { findings, pending: 0 };
  const begin = leaves.reduce((least, { sequence }) => Math.min(least, sequence), Infinity);
  if (anchor.first > begin && leaves.length > 0) findings.push({ kind: "batch_not_found", batch, sequence: begin });
  const own = inOrder.filter(({ leaf }) => leaf < size);
  for (const fault of outcomeFaults(anchor)) findings.push({ kind: "anchor_wrong", anchor: batch, fault });
  if (fitsRoot(anchor, own) === false) findings.push(rootDiffers(batch, own));
  return { findings, pending: anchor.confirmation === null ? own.length : 0 };
}

/** Finds leaves without a proof, up to `size`, and leaves with two. */
function findLeaves(batch: number, inOrder: readonly Leaf[], size: number, findings: Finding[]): void {
  const missing = (leaf: number, last: number): void => {
    if (last >= leaf) findings.push({ kind: "leaf_missing", batch, leaf, last });
  };
  let next = 0;
  let before: Leaf | undefined;
  for (const each of inOrder) {
    if (before?.leaf === each.leaf) {
      findings.push({ kind: "leaf_twice", batch, leaf: each.leaf, sequence: each.sequence, other: before.sequence });
      continue;
    }
    missing(next, each.leaf - 1);
    next = each.leaf + 1;
    before = each;
  }
  missing(next, size - 1);
}

/**
 * Returns whether the leaves give the anchored hash; `undefined` when there is nothing to compare with, or when another
 * finding already covers the anchor.
 */
function fitsRoot({ hash, size }: AnchorFacts, own: readonly Leaf[]): boolean | undefined {
  if (hash === null || own.length !== hashesUnder({ size }) || own.length > MAX_TREE_SIZE) return undefined;
  if (own.some(({ leaf }, index) => leaf !== index)) return undefined;
  return giveContent(
    own.map(({ recordHash }) => recordHash),
    { hash, size },
  );
}

function rootDiffers(anchor: number, own: readonly Leaf[]): Finding {
  const sequences = own.map(({ sequence }) => sequence);
  return {
    kind: "root_differs",
    anchor,
    entries: { first: Math.min(...sequences), last: Math.max(...sequences) },
    suspects: own.flatMap(({ sequence, isDoubtful }) => (isDoubtful ? [sequence] : [])),
  };
}
