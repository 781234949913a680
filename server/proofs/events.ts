/** Events of proofs, for logs, metrics and alerts. None of them throws. */
export interface ProofEvents {
  proofsAccepted(count: number): void;
  proofConfirmed(seconds: number): void;
  /**
   * Emitted when a batch is closed.
   * @param size Hashes under its root; 0 for a single hash
   */
  batchClosed(size: number): void;
  /** The chain rejects an anchor; it is sent again with a backoff. */
  anchorFailed(hash: Uint8Array, hashes: number, reason: string): void;
  /** The chain has rejected an anchor several times; emitted again at each further time. */
  anchorRejected(hash: Uint8Array, times: number, reason: string): void;
  /** No anchor is rejected. */
  anchorsAccepted(): void;
  /**
   * Proofs wait for the chain longer than the deadline; emitted at every check, the alert is raised once.
   * @param acceptedAt Acceptance time of the oldest, Unix milliseconds
   */
  anchoringLate(acceptedAt: number): void;
  /** No proof exceeds the deadline. */
  anchoringInTime(): void;
}
