/** Events of the journal and its replicas, for logs, metrics and alerts. None of them throws. */
export interface JournalEvents {
  /** A write to the journal failed. */
  journalFailing(error: unknown): void;
  /** A regular test of a write succeeded, or failed with an error. */
  journalProbed(error?: unknown): void;
  /**
   * Journal, replicas and chain diverge. Emitted at every check. All divergences of one cause, the first word of the
   * subject, have one alert.
   * @param subject Identifies the divergence: the same text at every check
   */
  journalDiverged(subject: string, message: string): void;
  /** Journal, replicas and chain agree on a subject; ends its divergence, if there is one. */
  divergenceResolved(subject: string): void;
  /** All accounts are to know of a divergence or of its end; emitted by one of several processes. */
  divergenceAnnounced(level: "info" | "warn", message: string): void;
  /** A difference between journal and chain was found and corrected. */
  journalCorrected(message: string): void;
  /** A replica exceeds the lag limit, or its target is unavailable; called once. */
  replicaLagging(name: string, seconds: number, entries: number): void;
  replicaCaughtUp(name: string): void;
  /** The journal cannot be stored safely; called at every check, the alert is raised once. */
  storageFailing(reason: string): void;
  storageRestored(): void;
}
