/** Stores of the journal whose writes can share a commit. */
export type Atomic<Stores> = Stores & {
  /**
   * Commits everything that is written inside `work` as a whole, or nothing of it.
   * @returns the result of `work`, once it is on disk
   */
  atomically<T>(work: (stores: Atomic<Stores>) => Promise<T>): Promise<T>;
};
