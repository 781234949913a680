/** Events of proofs, for logs, metrics and alerts. None of them ever throws. */
export interface ProofEvents {
  proofsAccepted(count: number): void;
  proofConfirmed(seconds: number): void;
  /** @param size Hashes under its root; 0 for a hash alone */
  batchClosed(size: number): void;
  /** The chain does not take a batch; it is split to find the hash at fault. */
  anchorSplit(hashes: number, reason: string): void;
  /** The chain does not take an anchor, and it cannot be split; it is retried with backoff. */
  anchorFailed(hash: Uint8Array, hashes: number, reason: string): void;
  /** Proofs wait for the chain longer than the deadline; emitted at every check, reported once. */
  anchoringLate(seconds: number): void;
  /** No proof exceeds the deadline. */
  anchoringInTime(): void;
}
