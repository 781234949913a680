import { sql, type SqlBool } from "kysely";
import type { Database } from "./database.ts";
import { keysIn, TAG_BITS } from "./key-entries.ts";
import { KEY_RANGE } from "./proof-key.ts";
import type { RecentKeysTable } from "./schema.ts";

/** Keys that are read at once, about. */
const AT_ONCE = 16_384;

const BUCKET_SIZE = 2 ** TAG_BITS;
const BUCKETS = KEY_RANGE / BUCKET_SIZE;

/**
 * All keys, some at a time. Each is told once, also when it is brought from one table into the other meanwhile.
 * @param count How many there are, about
 */
export async function* storedKeys(database: Database, count: number): AsyncGenerator<RecentKeysTable[]> {
  yield await keysWhere(database, sql<SqlBool>`key < 0 or key >= ${KEY_RANGE}`, sql<SqlBool>`bucket < 0 or bucket >= ${BUCKETS}`);
  const slices = Math.min(BUCKETS, Math.max(1, Math.ceil(count / AT_ONCE)));
  for (let slice = 0; slice < slices; slice += 1) {
    const from = Math.floor((slice * BUCKETS) / slices);
    const to = Math.floor(((slice + 1) * BUCKETS) / slices);
    yield await keysWhere(
      database,
      sql<SqlBool>`key >= ${from * BUCKET_SIZE} and key < ${to * BUCKET_SIZE}`,
      sql<SqlBool>`bucket >= ${from} and bucket < ${to}`,
    );
  }
}

type Condition = ReturnType<typeof sql<SqlBool>>;

/** In one statement: between two, a key could go from the table that is read last to the one that was read first. */
async function keysWhere(database: Database, recent: Condition, settled: Condition): Promise<RecentKeysTable[]> {
  const rows = await database
    .selectFrom("proof_keys_recent")
    .select(["key as place", "sequence as number", sql<Uint8Array | null>`null`.as("entries")])
    .where(recent)
    .unionAll(database.selectFrom("proof_keys").select(["bucket as place", "epoch as number", sql<Uint8Array | null>`entries`.as("entries")]).where(settled))
    .execute();
  return rows.flatMap(({ place, number, entries }) => (entries === null ? [{ key: place, sequence: number }] : keysIn(place, number, entries)));
}
