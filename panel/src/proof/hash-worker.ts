import { sha256 } from "@noble/hashes/sha2.js";

/** A message to the page. */
export type HashMessage = { readonly done: number } | { readonly hash: string } | { readonly failure: string };

const post = (message: HashMessage): void => postMessage(message);

addEventListener("message", async ({ data: file }: MessageEvent<File>) => {
  try {
    // Reads in chunks: a file can be larger than the memory.
    const hash = sha256.create();
    let done = 0;
    for await (const piece of file.stream()) {
      hash.update(piece);
      done += piece.length;
      post({ done });
    }
    post({ hash: Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, "0")).join("") });
  } catch (error) {
    post({ failure: error instanceof Error ? error.message : String(error) });
  }
});
