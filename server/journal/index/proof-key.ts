import { hash as digest } from "node:crypto";

/** Whatever a proof can be found by has its key: this many of the first bits of its hash. */
const KEY_BITS = 38;

/** Keys are whole numbers below this. */
export const KEY_RANGE = 2 ** KEY_BITS;

/** The key of a hash of at least six bytes, which says where a proof may be. */
export function keyOf(hash: Uint8Array): number {
  const bytes = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength);
  return Math.floor(bytes.readUIntBE(0, 6) / 2 ** (48 - KEY_BITS));
}

/** The key of a document's id. */
export function documentKey(documentId: string): number {
  return keyOf(digest("sha256", documentId, "buffer"));
}

/** The keys of a proof: three as a rule; a document's hash can be that of its id. */
export function keysOf(proof: {
  readonly documentId: string;
  readonly hash: Uint8Array;
  readonly recordHash: Uint8Array;
}): number[] {
  return [...new Set([keyOf(proof.recordHash), keyOf(proof.hash), documentKey(proof.documentId)])];
}
