import { messageOf } from "../errors/message-of.ts";
import { createSHA256 } from "hash-wasm";
import { claimOf, evidenceIn, type ReadFile } from "./evidence.ts";

/** A part of a file that is hashed at once. */
const SLICE_BYTES = 8 * 1024 * 1024;

/** A message to the page: progress in bytes, the result, or why the file cannot be read. */
export type FileMessage = { readonly done: number } | { readonly read: ReadFile } | { readonly failure: string };

const post = (message: FileMessage): void => postMessage(message);
const hasher = createSHA256();

addEventListener("message", async ({ data: file }: MessageEvent<File>) => {
  try {
    const hash = (await hasher).init();
    const sliceFrom = (start: number) => file.slice(start, start + SLICE_BYTES).arrayBuffer();
    let next = sliceFrom(0);
    for (let start = 0; start < file.size; start += SLICE_BYTES) {
      const slice = await next;
      // The browser reads the next one while this one is hashed.
      next = sliceFrom(start + SLICE_BYTES);
      next.catch(() => undefined);
      hash.update(new Uint8Array(slice));
      post({ done: start + slice.byteLength });
    }
    const ofFile = hash.digest();
    const evidence = await evidenceIn(file);
    const read = evidence.map((each) => ({
      ...each,
      ...claimOf(each),
      sha256: hash.init().update(each.content).digest(),
    }));
    post({ read: { hash: ofFile, evidence: read } });
  } catch (error) {
    post({ failure: messageOf(error) });
  }
});
