import { figuresOf, type LoadFigures } from "./latencies.ts";

/** Runs before the measurement. */
const WARM_UP = 2;

/** Runs an operation a number of times in sequence. */
export async function sequence(count: number, work: () => Promise<void>): Promise<LoadFigures> {
  for (let i = 0; i < WARM_UP; i += 1) await work();
  const latencies: number[] = [];
  const start = performance.now();
  for (let i = 0; i < count; i += 1) {
    const began = performance.now();
    await work();
    latencies.push(performance.now() - began);
  }
  return figuresOf(latencies, count, (performance.now() - start) / 1000, 0);
}
