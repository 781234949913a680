import type { HashMessage } from "./hash-worker.ts";

/**
 * Computes the SHA-256 of a file, in hex. The file is read in a worker in the browser and is not sent.
 * @param onProgress Called with the number of hashed bytes
 * @throws An error when the file cannot be read, or the abort reason of `signal`
 */
export async function hashFile(file: File, onProgress: (bytes: number) => void, signal?: AbortSignal): Promise<string> {
  const worker = new Worker(new URL("./hash-worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  worker.addEventListener("message", ({ data }: MessageEvent<HashMessage>) => {
    if ("done" in data) onProgress(data.done);
    else if ("hash" in data) resolve(data.hash);
    else reject(new Error(data.failure));
  });
  worker.addEventListener("error", (event) => reject(new Error(event.message)));
  signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  worker.postMessage(file);
  try {
    return await promise;
  } finally {
    worker.terminate();
  }
}
