import { hash } from "node:crypto";

/** An entry of the journal, as text. */
export interface JournalLine {
  /** 1, 2, 3 and so on, without gaps. */
  readonly sequence: number;
  /** One line of JSON in its canonical form, without the end of the line. */
  readonly text: string;
}

/** Bytes of a digest. */
export const DIGEST_LENGTH = 32;
/** Bytes of its digest that a proof is stored with. */
export const LINK_LENGTH = 4;

/** The digest before the first entry: 32 zero bytes. */
export const GENESIS_DIGEST: Uint8Array = new Uint8Array(DIGEST_LENGTH);

/** The digest of the journal up to an entry: SHA-256 over the digest up to the one before and the entry's text in UTF-8. */
export function nextDigest(previous: Uint8Array, text: string): Uint8Array {
  const input = Buffer.allocUnsafe(DIGEST_LENGTH + Buffer.byteLength(text));
  input.set(previous);
  input.write(text, DIGEST_LENGTH);
  return hash("sha256", input, "buffer");
}
