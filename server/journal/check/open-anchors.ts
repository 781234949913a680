import { equalBytes } from "../../kit/bytes.ts";
import type { ConfirmationEntry, ProofEntry } from "../entries/codec.ts";
import type { SettledHead } from "../integrity/head-file.ts";
import { RunningRoot } from "../integrity/merkle.ts";
import { recordHashOf } from "../integrity/record-hash.ts";
import type { Finding } from "./finding.ts";

/** An anchor whose proofs were read, and its confirmation not yet. */
export interface OpenAnchor {
  readonly id: number;
  /** Its first proof. */
  readonly first: number;
  /** When that was accepted, Unix milliseconds. */
  readonly acceptedAt: number;
  /** Number of leaves so far. */
  readonly size: number;
}

/** Where the proofs of an anchor are: after one entry, up to another. */
interface Extent {
  readonly before: SettledHead;
  last: number;
}

interface ReadLeaves extends Omit<OpenAnchor, "size">, Extent {
  /** The recorded hash of a proof alone. */
  readonly only: Uint8Array;
  readonly root: RunningRoot;
  /** Whether a leaf was missing: then nothing can be said of the root. */
  isBroken: boolean;
}

/** The anchors that no entry confirms yet, as far as the journal was read. Of the leaves they keep the running root. */
export class OpenAnchors {
  /** In the order of their first proofs. */
  readonly #anchors = new Map<number, ReadLeaves>();
  /** Confirmed anchors that have proofs after the first one of another that is open. */
  #overlapping: readonly Extent[] = [];
  /** The highest id of an anchor with a proof: ids are given in order, so that a new anchor has a higher one. */
  #highest: number;

  constructor(highest: number) {
    this.#highest = highest;
  }

  get highest(): number {
    return this.#highest;
  }

  all(): OpenAnchor[] {
    return [...this.#anchors.values()].map(({ id, first, acceptedAt, root }) => ({
      id,
      first,
      acceptedAt,
      size: root.size,
    }));
  }

  /** The one whose first proof was accepted before those of the others. */
  get oldest(): Pick<OpenAnchor, "acceptedAt"> | undefined {
    return this.#anchors.values().next().value;
  }

  /** Number of leaves under them. */
  get leaves(): number {
    return this.all().reduce((sum, { size }) => sum + size, 0);
  }

  /** The entry after which all of their proofs, and no others of an anchor that begins before, are read again. */
  get before(): SettledHead | undefined {
    const [oldest] = this.#anchors.values();
    let settled = oldest?.before;
    const latestFirst = this.#overlapping.toSorted((a, b) => b.before.sequence - a.before.sequence);
    for (const { before, last } of latestFirst)
      if (settled !== undefined && before.sequence < settled.sequence && last > settled.sequence) settled = before;
    return settled;
  }

  /**
   * Adds a proof.
   * @param before The entry before its row
   * @returns false for a proof whose leaf an earlier one has
   */
  add(entry: ProofEntry, before: SettledHead, onFinding: (finding: Finding) => void): boolean {
    const { sequence, anchor, leaf, accepted_at: acceptedAt } = entry;
    const known = this.#anchors.get(anchor);
    if (known === undefined ? anchor <= this.#highest : leaf < known.root.size) return false;
    this.#highest = Math.max(this.#highest, anchor);
    const recorded = recordHashOf(entry);
    const open = known ?? {
      id: anchor,
      first: sequence,
      acceptedAt,
      before,
      last: sequence,
      only: recorded,
      root: new RunningRoot(),
      isBroken: false,
    };
    this.#anchors.set(anchor, open);
    open.last = sequence;
    if (open.isBroken) return true;
    open.isBroken = leaf !== open.root.size;
    if (open.isBroken) onFinding({ kind: "leaf_wrong", sequence, anchor, leaf });
    else open.root.add(recorded);
    return true;
  }

  /** Ends an anchor with an entry that confirms it. */
  confirm({ anchor, hash, size }: ConfirmationEntry, onFinding: (finding: Finding) => void): void {
    const open = this.#anchors.get(anchor);
    this.#anchors.delete(anchor);
    if (open === undefined) return;
    const { before, last } = open;
    this.#overlapping = [...this.#overlapping, { before, last }].filter((each) => this.#hasOpenInside(each));
    if (open.isBroken) return;
    const { root, only, first: sequence } = open;
    const isGiven = root.size === Math.max(1, size) && equalBytes(size === 0 ? only : root.value(), hash);
    if (!isGiven) onFinding({ kind: "root_differs", anchor, sequence, last });
  }

  #hasOpenInside({ before, last }: Extent): boolean {
    for (const { before: open } of this.#anchors.values()) {
      // They are in order.
      if (open.sequence >= last) return false;
      if (open.sequence > before.sequence) return true;
    }
    return false;
  }
}
