import type { CompiledQuery } from "kysely";

/** Values of one statement at most: a power of two, so that there are few different statements to prepare. */
const MOST_AT_ONCE = 128;

/**
 * Statements that are the same but for how many values they take, each compiled once: to compile one takes longer than
 * to run it.
 */
export class StatementCache<Row = unknown> {
  readonly #known = new Map<number, CompiledQuery<Row>>();

  /** @param compile makes the statement when it is not known yet; the parameters it gives are not used */
  of(size: number, compile: () => CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> {
    const query = this.#known.get(size) ?? compile();
    this.#known.set(size, query);
    return { ...query, parameters };
  }
}

/** Cuts values into pieces whose sizes are powers of two. */
export function* chunks<T>(values: readonly T[]): Generator<T[]> {
  let first = 0;
  while (first < values.length) {
    const size = largestPowerOfTwo(Math.min(values.length - first, MOST_AT_ONCE));
    yield values.slice(first, first + size);
    first += size;
  }
}

/** Cuts values into pieces, of which the last has its last value repeated until its size is a power of two. */
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
