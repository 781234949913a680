import type { Database } from "../../server/journal/engine/database.ts";
import type { JournalEntry } from "../../server/journal/entries/codec.ts";
import type { Finding } from "./finding.ts";
import { giveContent, hashesUnder } from "../../server/journal/integrity/stored-anchor.ts";
import { MAX_TREE_SIZE } from "../../server/kit/tree-size.ts";
import { type AnchorFacts, outcomeFaults } from "./anchor-facts.ts";

/** Returns whether a batch has proofs in rows before one. */
export async function hasRowsBefore(database: Database, batch: number, first: number): Promise<boolean> {
  const row = await rowsOf(database, [batch]).where("first_sequence", "<", first).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Returns the batches that have proofs in rows after an entry. */
export async function withRowsAfter(
  database: Database,
  batches: readonly number[],
  sequence: number,
): Promise<ReadonlySet<number>> {
  if (batches.length === 0) return new Set();
  const rows = await rowsOf(database, batches).where("first_sequence", ">", sequence).execute();
  return new Set(rows.map(({ batch }) => batch));
}

/** Checks that the rows of batches are found: each row by each of its batches. */
export async function checkBatchRows(
  database: Database,
  rows: readonly { readonly first: number; readonly entries: readonly JournalEntry[] }[],
  report: (finding: Finding) => void,
): Promise<void> {
  const batches = new Set(rows.flatMap(({ entries }) => entries).flatMap(batchOf));
  if (batches.size === 0) return;
  const [oldest, newest] = [rows[0]?.first ?? 0, rows.at(-1)?.first ?? 0];
  const stored = await database
    .selectFrom("batch_rows")
    .select(["anchor_id as batch", "first_sequence as first", "proofs"])
    .where("anchor_id", "in", [...batches])
    .where("first_sequence", ">=", oldest)
    .where("first_sequence", "<=", newest)
    .execute();
  const counts = new Map(stored.map(({ batch, first, proofs }) => [`${batch} ${first}`, proofs]));
  for (const { first, entries } of rows) {
    for (const [batch, proofs] of Map.groupBy(entries.flatMap(batchOf), (each) => each)) {
      if (counts.get(`${batch} ${first}`) !== proofs.length)
        report({ kind: "batch_not_found", batch, sequence: first });
    }
  }
}

/** Returns first entries of rows that batches lead to, but that the journal does not have: it was shortened. */
export async function batchRowsWithoutEntries(database: Database, limit: number): Promise<number[]> {
  const rows = await database
    .selectFrom("batch_rows")
    .select("first_sequence")
    .distinct()
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("journal_rows")
            .select("journal_rows.first_sequence")
            .whereRef("journal_rows.first_sequence", "=", "batch_rows.first_sequence"),
        ),
      ),
    )
    .orderBy("first_sequence")
    .limit(limit)
    .execute();
  return rows.map((row) => row.first_sequence);
}

function batchOf(entry: JournalEntry): number[] {
  return entry.kind === "proof" ? [entry.anchor] : [];
}

function rowsOf(database: Database, batches: readonly number[]) {
  return database.selectFrom("batch_rows").select("anchor_id as batch").distinct().where("anchor_id", "in", batches);
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

  /** The oldest entry of the open batches; infinite when there is none. */
  get oldest(): number {
    let oldest = Infinity;
    for (const [first] of this.#batches.values()) oldest = Math.min(oldest, first?.sequence ?? Infinity);
    return oldest;
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
