/** Maximum number of items with concurrent requests to the journal or the chain. */
const AT_ONCE = 32;

/** Works on items, a limited number at a time, and returns the results in their order. */
export async function inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    // All workers draw from the one iterator; a queue would make a closure for each of a million rows.
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}
