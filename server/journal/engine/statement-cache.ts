import type { CompiledQuery } from "kysely";

/** Maximum number of values of one statement: a power of two, so that few different statements are prepared. */
const MOST_AT_ONCE = 128;

/**
 * Caches statements that differ only in their number of values: compiling one takes longer than running it.
 */
export class StatementCache<Row = unknown> {
  readonly #known = new Map<number, CompiledQuery<Row>>();

  /** @param compile Compiles a statement that is not cached; its parameter values are ignored */
  of(size: number, compile: () => CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> {
    const query = this.#known.get(size) ?? compile();
    this.#known.set(size, query);
    return { ...query, parameters };
  }
}

/** Splits values into chunks whose sizes are powers of two. */
export function* chunks<T>(values: readonly T[]): Generator<T[]> {
  let first = 0;
  while (first < values.length) {
    const size = largestPowerOfTwo(Math.min(values.length - first, MOST_AT_ONCE));
    yield values.slice(first, first + size);
    first += size;
  }
}

/** Splits values into chunks; pads the last one to a power of two with its last value. */
export function* paddedChunks<T>(values: readonly T[]): Generator<T[]> {
  for (let first = 0; first < values.length; first += MOST_AT_ONCE) {
    const piece = values.slice(first, first + MOST_AT_ONCE);
    const last = piece.at(-1);
    if (last === undefined) return;
    const floor = largestPowerOfTwo(piece.length);
    const size = floor === piece.length ? floor : 2 * floor;
    while (piece.length < size) piece.push(last);
    yield piece;
  }
}

function largestPowerOfTwo(upTo: number): number {
  return 2 ** Math.floor(Math.log2(upTo));
}
