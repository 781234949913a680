import { MAX_TREE_SIZE } from "../journal/integrity/merkle.ts";

/** What is known when it has to be decided how long a batch stays open. Times are Unix milliseconds. */
export interface BatchingState {
  /** Hashes in the open batch; at least one. */
  readonly size: number;
  /** When the first of them was accepted. */
  readonly openedAt: number;
  /** Anchors of this relayer that are closed and not on chain yet. */
  readonly underWay: number;
  /** When the next block is due, and the one after it; `undefined` on a chain without a regular rhythm. */
  readonly nextBlocks: readonly [number, number] | undefined;
}

/** What an operator can choose. */
export interface BatchingRules {
  /** The longest that a hash waits for others. */
  readonly maxAgeMilliseconds: number;
  /** How long before a block a transaction has to be sent to be in it. */
  readonly leadMilliseconds: number;
  /** How long proofs that cannot go on chain yet wait for others to be written to disk with. */
  readonly gatherMilliseconds: number;
}

/**
 * When the open batch is to be closed; a time that has passed means at once. Of the reasons the earliest counts:
 * - the batch is full;
 * - its oldest hash has waited long enough;
 * - the chain is ready for it. Where blocks come regularly, that is shortly before the next one, so that everything
 *   which can be in a block shares one transaction. Where they come on demand, it is when nothing is under way:
 *   then to wait would win nobody anything.
 */
export function closingTime(state: BatchingState, rules: BatchingRules, now: number): number {
  const { size, openedAt, underWay, nextBlocks } = state;
  if (size >= MAX_TREE_SIZE) return now;
  const age = openedAt + rules.maxAgeMilliseconds;
  if (nextBlocks === undefined) return underWay === 0 ? now : age;
  const [next, afterNext] = nextBlocks;
  // Too late for the block that is about to come, when that has a batch already: another might not make it.
  const target = openedAt <= next - rules.leadMilliseconds || underWay === 0 ? next : afterNext;
  return Math.min(age, target - rules.leadMilliseconds);
}

/**
 * When single proofs that have arrived are to be written to disk: at once when a batch can be closed with them, else a
 * moment later, so that more of them share the write. Nobody is answered before the chain has them anyway.
 * @param arrivedAt When the first of them came
 * @param closingAt When the batch closes that takes them
 */
export function writingTime(arrivedAt: number, closingAt: number, rules: BatchingRules): number {
  return Math.min(closingAt, arrivedAt + rules.gatherMilliseconds);
}
