import { LRUCache } from "lru-cache";
import type { AnchorContent } from "../chain/contracts/anchors.ts";
import { giveContent } from "../journal/integrity/stored-anchor.ts";
import { equalBytes, hex } from "../kit/bytes.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { AnchorStore } from "./anchor-store.ts";

/** Bytes of a recorded hash that are kept. */
const PREFIX_BYTES = 8;
/** Memory for what is kept: the leaves of 4,000 anchors with a thousand each. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Memory for an anchor beside its leaves: its key, and what manages it. */
const ANCHOR_BYTES = 512;

/** The beginnings of the recorded hashes under an anchor. */
export class Leaves {
  readonly #prefixes: Uint8Array;

  /** @param hashes By leaf index */
  constructor(hashes: readonly Uint8Array[]) {
    // Memory of its own: a small buffer would keep a pool of others alive.
    this.#prefixes = new Uint8Array(hashes.length * PREFIX_BYTES);
    for (const [index, hash] of hashes.entries())
      this.#prefixes.set(hash.subarray(0, PREFIX_BYTES), index * PREFIX_BYTES);
  }

  /** Memory that they take. */
  get bytes(): number {
    return ANCHOR_BYTES + this.#prefixes.length;
  }

  /** Whether a leaf is that of a recorded hash that a relayer has written. */
  has(index: number, recordHash: Uint8Array): boolean {
    const at = index * PREFIX_BYTES;
    return equalBytes(this.#prefixes.subarray(at, at + PREFIX_BYTES), recordHash.subarray(0, PREFIX_BYTES));
  }
}

/**
 * The leaves of anchors, which were found to give what is anchored. They are kept for later checks: that they give it
 * stays true, whatever becomes of the database, and reading a thousand takes milliseconds.
 */
export class AnchoredLeaves {
  readonly #kept: LRUCache<string, Leaves, { readonly id: number; readonly content: AnchorContent }>;

  constructor(anchors: Pick<AnchorStore, "leaves">) {
    this.#kept = new LRUCache({
      maxSize: MAX_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
      fetchMethod: async (_key, _stale, { context: { id, content } }) => {
        const hashes = await anchors.leaves(id);
        // Hashing takes milliseconds: other requests are served between two anchors.
        await yieldToEventLoop();
        return giveContent(hashes, content) ? new Leaves(hashes) : undefined;
      },
    });
  }

  /**
   * Returns the leaves of an anchor; `undefined` when those in the journal do not give what is anchored.
   * @throws SealbookError `journal_damaged` when a row with one of them was changed
   */
  async of(id: number, content: AnchorContent): Promise<Leaves | undefined> {
    if (content.size === 0) return new Leaves([content.hash]);
    return this.#kept.fetch(`${id} ${content.size} ${hex(content.hash)}`, { context: { id, content } });
  }
}
