/** Figures of one measurement. */
export interface Figures {
  readonly count: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly median: number;
  readonly p99: number;
}

/**
 * Runs `work` a number of times, at most `concurrency` at once.
 * @param work is given a number that is never given twice
 */
export async function measure(count: number, concurrency: number, work: (index: number) => Promise<void>): Promise<Figures> {
  const latencies: number[] = [];
  let next = 0;
  const start = performance.now();
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const began = performance.now();
      await work(index);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane));
  const seconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((latencies[Math.floor((latencies.length - 1) * share)] ?? 0) * 10) / 10;
  return { count, perSecond: Math.round(count / seconds), median: at(0.5), p99: at(0.99) };
}
