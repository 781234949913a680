import { setTimeout as sleep } from "node:timers/promises";

/** Retries until an attempt does not throw; returns its result. The deadline ends a test that has failed. */
export async function eventually<T>(attempt: () => Promise<T>, milliseconds = 300_000): Promise<T> {
  for (const deadline = Date.now() + milliseconds; ; await sleep(50)) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
