/** Maximum number of blocks per log query; within the limits of common nodes. */
const BLOCKS_AT_ONCE = 1_000;

/** A range of blocks, both ends included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** Splits a range of blocks into ranges for one log query each. */
export function* blockRanges(from: number, to: number): Generator<BlockRange> {
  for (let first = from; first <= to; first += BLOCKS_AT_ONCE)
    yield { from: first, to: Math.min(to, first + BLOCKS_AT_ONCE - 1) };
}
