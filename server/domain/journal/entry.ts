import { hash as digest } from "node:crypto";

/** An entry of the journal as it counts: one line of JSON. */
export interface JournalLine {
  /** 1 for the first entry, and one more for each that follows. */
  readonly sequence: number;
  readonly text: string;
}

/** Bytes of a digest. */
export const DIGEST_LENGTH = 32;
/** Bytes of its digest that a proof is stored with. */
export const LINK_LENGTH = 8;

/** What stands before the first entry. */
export const GENESIS_DIGEST: Uint8Array = new Uint8Array(DIGEST_LENGTH);

/** The digest of an entry: SHA-256 over the digest of the one before, 32 bytes, and the UTF-8 text of its line. */
export function nextDigest(previous: Uint8Array, text: string): Uint8Array {
  const input = Buffer.allocUnsafe(DIGEST_LENGTH + Buffer.byteLength(text));
  input.set(previous);
  input.write(text, DIGEST_LENGTH);
  return digest("sha256", input, "buffer");
}
