import type { Leaf } from "./batch-check.ts";

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
