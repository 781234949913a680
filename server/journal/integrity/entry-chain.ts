import { hash } from "node:crypto";

/** An entry of the journal, as text. */
export interface JournalLine {
  /** 1, 2, 3 and so on, without gaps. */
  readonly sequence: number;
  /** One line of JSON in its canonical form, without line terminator. */
  readonly text: string;
}

/** An entry of the journal, and the digest up to that entry. */
export interface JournalHead {
  readonly sequence: number;
  readonly digest: Uint8Array;
}

/** Bytes of a digest. */
export const DIGEST_LENGTH = 32;

/** The digest before the first entry: 32 zero bytes. */
export const GENESIS_DIGEST: Uint8Array = new Uint8Array(DIGEST_LENGTH);

/** The head before the first entry. */
export const GENESIS: JournalHead = { sequence: 0, digest: GENESIS_DIGEST };

/**
 * Computes the digest of the journal up to an entry: SHA-256 over the previous digest and the entry's text in UTF-8.
 */
export function nextDigest(previous: Uint8Array, text: string): Uint8Array {
  const input = Buffer.allocUnsafe(DIGEST_LENGTH + Buffer.byteLength(text));
  input.set(previous);
  input.write(text, DIGEST_LENGTH);
  return hash("sha256", input, "buffer");
}

/** Advances the head by one entry; `undefined` when `line` is not the entry after `head`. */
export function follow(head: JournalHead, { sequence, text }: JournalLine): JournalHead | undefined {
  return sequence === head.sequence + 1 ? { sequence, digest: nextDigest(head.digest, text) } : undefined;
}
