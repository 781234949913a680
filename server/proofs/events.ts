/** Events of proofs, for logs, metrics and alerts. None of them throws. */
export interface ProofEvents {
  proofsAccepted(count: number): void;
  proofConfirmed(seconds: number): void;
  /**
   * Emitted when a batch is closed.
   * @param size Hashes under its root; 0 for a single hash
   */
  batchClosed(size: number): void;
  /** The chain rejects a batch; it is split to find the invalid hash. */
  anchorSplit(hashes: number, reason: string): void;
  /** The chain rejects an anchor that cannot be split; it is retried with backoff. */
  anchorFailed(hash: Uint8Array, hashes: number, reason: string): void;
  /**
   * Proofs wait for the chain longer than the deadline; emitted at every check, the alert is raised once.
   * @param acceptedAt Acceptance time of the oldest, Unix milliseconds
   */
  anchoringLate(acceptedAt: number): void;
  /** No proof exceeds the deadline. */
  anchoringInTime(): void;
}
