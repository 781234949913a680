import { hash } from "node:crypto";
import { equalBytes } from "../../kit/bytes.ts";

/** Kinds of entries. */
export type EntryKind = "proof" | "confirmation" | "account" | "issuer_key" | "verification" | "resolution";

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
/** Bytes of the digest that are stored with a proof. */
const LINK_LENGTH = 4;

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

/** Returns the part of a digest that is stored with a proof. */
export function linkOf(digest: Uint8Array): Uint8Array {
  return digest.subarray(0, LINK_LENGTH);
}

/**
 * Returns whether `stored` is the stored form of a digest: the first bytes with a proof, the whole digest with other
 * entries.
 */
export function isLinkOf(digest: Uint8Array, kind: EntryKind, stored: Uint8Array): boolean {
  return equalBytes(kind === "proof" ? linkOf(digest) : digest, stored);
}

/** Returns the whole digest stored with an entry; `undefined` when only the first bytes are stored. */
export function wholeDigest(kind: EntryKind, stored: Uint8Array): Uint8Array | undefined {
  return kind !== "proof" && stored.length === DIGEST_LENGTH ? stored : undefined;
}
