import { setTimeout as sleep } from "node:timers/promises";

/**
 * Polls until `probe` returns a value.
 * @returns the value; `undefined` after the timeout
 * @throws whatever `probe` throws
 */
export async function waitFor<T>(
  probe: () => Promise<T | undefined>,
  options: { readonly intervalMilliseconds: number; readonly timeoutMilliseconds: number },
): Promise<T | undefined> {
  for (const deadline = Date.now() + options.timeoutMilliseconds; Date.now() < deadline;) {
    const value = await probe();
    if (value !== undefined) return value;
    await sleep(options.intervalMilliseconds);
  }
  return undefined;
}
