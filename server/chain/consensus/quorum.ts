/** How many of the validators have to agree on a block, and to seal it. */
export function quorumOf(validators: number): number {
  return Math.ceil((2 * validators) / 3);
}

/** How many of the validators may be missing without the blocks stopping. */
export function mostFaulty(validators: number): number {
  return validators - quorumOf(validators);
}
