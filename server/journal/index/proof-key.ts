import { hash as digest } from "node:crypto";
import { type RecordedEntry, recordHashOf } from "../integrity/record-hash.ts";

/** Bytes of a key in the index of proofs. */
const KEY_BYTES = 6;

/** Upper bound of keys, exclusive; keys are integers. */
export const KEY_RANGE = 2 ** (8 * KEY_BYTES);

/** What a proof is found by. */
export type KeyKind = "record" | "hash" | "document";

export const KEY_KINDS: readonly KeyKind[] = ["record", "hash", "document"];

/** The keys of a proof, by their kind. */
export type ProofKeys = Readonly<Record<KeyKind, number>>;

/** A proof's entry with its keys. */
export interface KeyedProof {
  readonly sequence: number;
  readonly keys: ProofKeys;
}

/** A key as it is stored, and the entry that it leads to. */
export interface IndexedKey {
  readonly key: number;
  readonly sequence: number;
}

/** Which entries with a key are read. */
export interface KeyRange {
  readonly order: "oldest first" | "newest first";
  /** The entry before which results begin, newest first, or after which they begin. */
  readonly from: number;
  readonly limit: number;
}

/** Returns the key of a hash: its first 48 bits, as a number. A look-up compares the whole hash of each candidate. */
export function keyOf(hash: Uint8Array): number {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).readUIntBE(0, KEY_BYTES);
}

/** Returns the key of a document's id. */
export function documentKey(documentId: string): number {
  return keyOf(digest("sha256", documentId, "buffer"));
}

/** Returns the keys of a proof. */
export function keysOf(proof: RecordedEntry): ProofKeys {
  return { record: keyOf(recordHashOf(proof)), hash: keyOf(proof.hash), document: documentKey(proof.document_id) };
}
