import { createHash, hash as digest } from "node:crypto";

/**
 * Digests over the documents of a comparison, in groups by the first bits of their hashes. The entry of the comparison
 * covers them: so a few documents are looked up, found or not, without trust in the database and without the others.
 */

/** Approximate number of documents in a group. */
const DOCUMENTS_PER_GROUP = 16;
/** Bytes of a group's digest. */
const LENGTH = 8;
const MOST_BITS = 24;

/** A group of documents: those from one hash on, up to another. */
export interface DocumentGroup {
  readonly number: number;
  readonly from: Uint8Array;
  /** Exclusive; `undefined` for the last group. */
  readonly to: Uint8Array | undefined;
}

/** Computes the digests of all groups; the documents are added in ascending order. */
export class DocumentDigests {
  readonly #bits: number;
  readonly #digests: Buffer;
  #group = 0;
  #hash = createHash("sha256");

  /** @param count Approximate number of documents */
  constructor(count: number) {
    this.#bits = Math.min(MOST_BITS, Math.max(0, Math.floor(Math.log2(Math.max(1, count / DOCUMENTS_PER_GROUP)))));
    this.#digests = Buffer.alloc(2 ** this.#bits * LENGTH);
  }

  add(document: Uint8Array): void {
    const group = groupOf(document, this.#bits);
    while (this.#group < group) this.#close();
    this.#hash.update(document);
  }

  /** Returns the digests of all groups. */
  finish(): Uint8Array {
    while (this.#group < 2 ** this.#bits) this.#close();
    return this.#digests;
  }

  #close(): void {
    this.#hash.digest().copy(this.#digests, this.#group * LENGTH, 0, LENGTH);
    this.#group += 1;
    this.#hash = createHash("sha256");
  }
}

/** Returns the groups of documents. */
export function groupsOf(documents: readonly Uint8Array[], digests: Uint8Array): DocumentGroup[] {
  const bits = bitsOf(digests);
  const numbers = new Set(documents.map((document) => groupOf(document, bits)));
  return Array.from(numbers, (number) => ({
    number,
    from: startOf(number, bits) ?? NONE,
    to: startOf(number + 1, bits),
  }));
}

/** Returns whether documents, in ascending order, are those of a group. */
export function isGroup(number: number, documents: readonly Uint8Array[], digests: Uint8Array): boolean {
  const computed = digest("sha256", Buffer.concat(documents), "buffer").subarray(0, LENGTH);
  return Buffer.compare(computed, digests.subarray(number * LENGTH, (number + 1) * LENGTH)) === 0;
}

/** Computes the digest that the entry has. */
export function digestOf(digests: Uint8Array): Uint8Array {
  return digest("sha256", digests, "buffer");
}

const NONE = new Uint8Array(0);

function bitsOf(digests: Uint8Array): number {
  return Math.log2(digests.length / LENGTH);
}

function groupOf(document: Uint8Array, bits: number): number {
  return bits === 0 ? 0 : Buffer.from(document).readUInt32BE(0) >>> (32 - bits);
}

function startOf(group: number, bits: number): Uint8Array | undefined {
  if (group === 2 ** bits) return undefined;
  const start = Buffer.alloc(4);
  if (bits > 0) start.writeUInt32BE(group * 2 ** (32 - bits));
  return start;
}
