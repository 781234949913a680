import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits for a result until a deadline; a later result is dropped.
 * @param expired Creates the error of the deadline
 */
export async function within<T>(milliseconds: number, result: Promise<T>, expired: () => Error): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(expired()), milliseconds);
  try {
    return await Promise.race([result, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Polls until `probe` returns a value.
 * @returns the value; `undefined` after the timeout
 * @throws whatever `probe` throws
 */
export async function waitFor<T>(
  probe: () => Promise<T | undefined>,
  options: { readonly intervalMilliseconds: number; readonly timeoutMilliseconds: number },
): Promise<T | undefined> {
  for (const deadline = performance.now() + options.timeoutMilliseconds; performance.now() < deadline;) {
    const value = await probe();
    if (value !== undefined) return value;
    await sleep(options.intervalMilliseconds);
  }
  return undefined;
}
