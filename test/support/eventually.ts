import { setTimeout as sleep } from "node:timers/promises";

/** Tries again and again until nothing is thrown any more, and gives what came then. */
export async function eventually<T>(attempt: () => Promise<T>, milliseconds = 60_000): Promise<T> {
  for (const deadline = Date.now() + milliseconds; ; await sleep(50)) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
