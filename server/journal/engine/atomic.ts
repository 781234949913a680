/** Stores whose writes can share a commit. */
export type Atomic<Stores> = Stores & {
  /**
   * Commits all writes inside `work`, or none.
   * @returns the result of `work`, once it is on disk
   */
  atomically<T>(work: (stores: Atomic<Stores>) => Promise<T>): Promise<T>;
};
