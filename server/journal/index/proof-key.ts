import { hash as digest } from "node:crypto";

/** Length of a key in the proof index: the first bits of a hash. */
const KEY_BITS = 38;

/** Upper bound of keys, exclusive; keys are integers. */
export const KEY_RANGE = 2 ** KEY_BITS;

/** Returns the index key of a hash of at least six bytes. */
export function keyOf(hash: Uint8Array): number {
  const bytes = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength);
  return Math.floor(bytes.readUIntBE(0, 6) / 2 ** (48 - KEY_BITS));
}

/** Returns the key of a document's id. */
export function documentKey(documentId: string): number {
  return keyOf(digest("sha256", documentId, "buffer"));
}

/** Returns the keys of a proof: usually three, fewer when the document's hash is that of its id. */
export function keysOf(proof: {
  readonly documentId: string;
  readonly hash: Uint8Array;
  readonly recordHash: Uint8Array;
}): number[] {
  return [...new Set([keyOf(proof.recordHash), keyOf(proof.hash), documentKey(proof.documentId)])];
}
