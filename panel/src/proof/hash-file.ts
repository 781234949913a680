import type { HashMessage } from "./hash-worker.ts";

/**
 * The SHA-256 of a file, in hex. It is read here, beside the page, and goes nowhere.
 * @param onProgress told how many bytes are done
 * @throws when the file cannot be read, or what `signal` is aborted with
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
