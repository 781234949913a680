/**
 * Works on every item, on at most `concurrency` at a time.
 * @param signal Once aborted, no further item is begun; those under way are waited for
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    // All workers draw from the one iterator.
    for (const item of queue) {
      if (signal?.aborted === true) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
}
