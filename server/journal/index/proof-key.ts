import { hash as digest } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../engine/database.ts";
import { entriesOf, type IndexedKey, TAG_BITS } from "./key-codec.ts";

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

/** Approximate number of keys per read. */
const AT_ONCE = 16_384;
const BUCKETS = KEY_RANGE / 2 ** TAG_BITS;
/** Bounds outside of all buckets. */
const OUTSIDE = 2 ** 31 - 1;
const NO_ENTRIES = sql<Uint8Array | null>`null`;

/**
 * Reads all keys in chunks. Returns each key once, also when it is merged from one table into the other in the
 * meantime.
 * @param count Approximate number of keys
 */
export async function* storedKeys(database: Database, count: number): AsyncGenerator<IndexedKey[]> {
  yield await keysIn(database, -OUTSIDE, 0);
  yield await keysIn(database, BUCKETS, OUTSIDE);
  const slices = Math.min(BUCKETS, Math.max(1, Math.ceil(count / AT_ONCE)));
  for (let slice = 0; slice < slices; slice += 1) {
    yield await keysIn(database, Math.floor((slice * BUCKETS) / slices), Math.floor(((slice + 1) * BUCKETS) / slices));
  }
}

/** Uses one statement: between two, a key could move from the table read last to the table read first. */
async function keysIn(database: Database, from: number, to: number): Promise<IndexedKey[]> {
  const rows = await database
    .selectFrom("proof_keys")
    .select(["bucket as key", "epoch as sequence", sql<Uint8Array | null>`entries`.as("entries")])
    .where("bucket", ">=", from)
    .where("bucket", "<", to)
    .unionAll(
      database
        .selectFrom("proof_keys_recent")
        .select(["key", "sequence", NO_ENTRIES.as("entries")])
        .where("key", ">=", from * 2 ** TAG_BITS)
        .where("key", "<", to * 2 ** TAG_BITS),
    )
    .execute();
  return rows.flatMap(({ key, sequence, entries }) =>
    entries === null ? [{ key, sequence }] : entriesOf(key, sequence, entries),
  );
}
