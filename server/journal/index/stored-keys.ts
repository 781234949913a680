import { sql } from "kysely";
import type { Database } from "../engine/database.ts";
import { entriesOf, type IndexedKey, TAG_BITS } from "./key-codec.ts";
import { KEY_RANGE } from "./proof-key.ts";

/** Keys that are read at once, about. */
const AT_ONCE = 16_384;
const BUCKETS = KEY_RANGE / 2 ** TAG_BITS;
/** Where buckets that are none end on either side. */
const OUTSIDE = 2 ** 31 - 1;
const NO_ENTRIES = sql<Uint8Array | null>`null`;

/**
 * All keys, some at a time. Each is told once, also when it is brought from one table into the other meanwhile.
 * @param count How many there are, about
 */
export async function* storedKeys(database: Database, count: number): AsyncGenerator<IndexedKey[]> {
  yield await keysIn(database, -OUTSIDE, 0);
  yield await keysIn(database, BUCKETS, OUTSIDE);
  const slices = Math.min(BUCKETS, Math.max(1, Math.ceil(count / AT_ONCE)));
  for (let slice = 0; slice < slices; slice += 1) {
    yield await keysIn(database, Math.floor((slice * BUCKETS) / slices), Math.floor(((slice + 1) * BUCKETS) / slices));
  }
}

/** In one statement: between two, a key could go from the table that is read last to the one that was read first. */
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
