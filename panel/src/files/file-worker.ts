import { createSHA256 } from "hash-wasm";
import { type Evidence, evidenceIn } from "./evidence.ts";

/** A part of a file that is hashed at once. */
const SLICE_BYTES = 8 * 1024 * 1024;

/** A file that was read: its SHA-256 in hex, and what it can prove. */
export interface ReadFile {
  readonly hash: string;
  readonly evidence: readonly HashedEvidence[];
}

/** Evidence with the SHA-256 of its content, in hex: statements name their bundles by it. */
export interface HashedEvidence extends Evidence {
  readonly sha256: string;
}

/** A message to the page: progress in bytes, the result, or why the file cannot be read. */
export type FileMessage = { readonly done: number } | { readonly read: ReadFile } | { readonly failure: string };

const post = (message: FileMessage): void => postMessage(message);
const hasher = createSHA256();

addEventListener("message", async ({ data: file }: MessageEvent<File>) => {
  try {
    const hash = (await hasher).init();
    for (let start = 0; start < file.size; start += SLICE_BYTES) {
      const slice = await file.slice(start, start + SLICE_BYTES).arrayBuffer();
      hash.update(new Uint8Array(slice));
      post({ done: start + slice.byteLength });
    }
    const ofFile = hash.digest();
    const evidence = await evidenceIn(file);
    const hashed = evidence.map((each) => ({ ...each, sha256: hash.init().update(each.content).digest() }));
    post({ read: { hash: ofFile, evidence: hashed } });
  } catch (error) {
    post({ failure: error instanceof Error ? error.message : String(error) });
  }
});
