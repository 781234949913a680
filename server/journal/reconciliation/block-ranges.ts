/** Small enough for any node's limit on log queries. */
const BLOCKS_AT_ONCE = 1_000;

/** Blocks in a row. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** A range of blocks in pieces whose logs can be asked for at once. */
export function* blockRanges(from: number, to: number): Generator<BlockRange> {
  for (let first = from; first <= to; first += BLOCKS_AT_ONCE)
    yield { from: first, to: Math.min(to, first + BLOCKS_AT_ONCE - 1) };
}
