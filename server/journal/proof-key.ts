import { hash as digest } from "node:crypto";

/** By what a proof can be found. */
const KINDS = { recordHash: 0, hash: 1, document: 2 } as const;
type KeyKind = keyof typeof KINDS;

const KINDS_ROOM = 4;
/** With the kind 38 bits: among a thousand million proofs, one lookup in seventy reads a row in vain. */
const PREFIX_BITS = 36;

/** Keys are whole numbers below this. */
export const KEY_RANGE = 2 ** PREFIX_BITS * KINDS_ROOM;

/** The key of a hash of at least six bytes: its first bits, which say where a proof may be. */
export function keyOf(kind: KeyKind, hash: Uint8Array): number {
  const bytes = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength);
  const prefix = Math.floor(bytes.readUIntBE(0, 6) / 2 ** (48 - PREFIX_BITS));
  return prefix * KINDS_ROOM + KINDS[kind];
}

export function documentKey(documentId: string): number {
  return keyOf("document", digest("sha256", documentId, "buffer"));
}
