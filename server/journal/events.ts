/** Events of the journal and its replicas, for logs, metrics and alerts. None of them throws. */
export interface JournalEvents {
  /** A write to the journal failed. */
  journalFailing(error: unknown): void;
  /** A regular test of a write succeeded, or failed with an error. */
  journalProbed(error?: unknown): void;
  /**
   * Journal, replicas and chain diverge. Emitted at every check; the alert is raised once.
   * @param subject Identifies the divergence: the same text at every check
   * @param isNews false when another process has notified the accounts
   */
  journalDiverged(subject: string, message: string, isNews?: boolean): void;
  /** Journal, replicas and chain agree on a subject; ends its divergence, if there is one. */
  divergenceResolved(subject: string, isNews?: boolean): void;
  /** A difference between journal and chain was found and corrected. */
  journalCorrected(message: string): void;
  /** A replica exceeds the lag limit, or its target is unavailable; called once. */
  replicaLagging(name: string, seconds: number, entries: number): void;
  replicaCaughtUp(name: string): void;
  /** No replica has taken new entries in time, and requests wait for one. */
  replicaUnavailable(): void;
  replicaAvailable(): void;
  /** The journal cannot be stored safely; called at every check, the alert is raised once. */
  storageFailing(reason: string): void;
  storageRestored(): void;
}
