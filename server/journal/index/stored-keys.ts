import { sql } from "kysely";
import type { Database } from "../engine/database.ts";
import { entriesOf, type IndexedKey, TAG_BITS } from "./key-codec.ts";
import { KEY_RANGE } from "./proof-key.ts";

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
