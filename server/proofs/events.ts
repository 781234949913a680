/** Events of proofs, for logs, metrics and alerts. None of them ever throws. */
export interface ProofEvents {
  proofsAccepted(count: number): void;
  proofConfirmed(seconds: number): void;
  /** @param size Hashes under its root; 0 for a hash alone */
  batchClosed(size: number): void;
  /** The chain does not take a batch; it is halved to find out why. */
  anchorSplit(hashes: number, reason: string): void;
  /** The chain does not take an anchor, and it cannot be halved: it is set aside and tried again ever more rarely. */
  anchorFailed(hash: Uint8Array, hashes: number, reason: string): void;
  /** Proofs wait longer for the chain than is promised; told at every check, reported once. */
  anchoringLate(seconds: number): void;
  /** None does, or none any longer. */
  anchoringInTime(): void;
}
