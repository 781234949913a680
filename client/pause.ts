/**
 * Waits, in Node and in a browser.
 * @throws The abort reason of `signal`
 */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  // Node 20 has no Promise.withResolvers.
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
