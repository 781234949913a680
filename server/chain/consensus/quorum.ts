/** Returns the quorum: the number of validators that must commit a block. */
export function quorumOf(validators: number): number {
  return Math.ceil((2 * validators) / 3);
}

/** Returns how many validators can be missing while blocks still come. */
export function mostFaulty(validators: number): number {
  return validators - quorumOf(validators);
}
