/** Events of the journal and its replicas, for logs, metrics and alerts. None of them ever throws. */
export interface JournalEvents {
  /** The journal could not be written. */
  journalFailing(error: unknown): void;
  /**
   * Journal, replicas and chain disagree; told at every check, reported once.
   * @param subject About what: the same text each time
   * @param isNews false when another process has told those who have accounts
   */
  journalDiverged(subject: string, message: string, isNews?: boolean): void;
  /** They agree: a divergence is over, if there was one. */
  journalAgreed(subject: string, isNews?: boolean): void;
  /** They disagreed, and what could be mended was. */
  journalRepaired(message: string): void;
  /** A replica is further behind the journal than it may be, or its target is away; told once. */
  replicaLagging(name: string, seconds: number, entries: number): void;
  replicaCaughtUp(name: string): void;
}
