import { sql, type SqlBool } from "kysely";
import type { Database } from "./database.ts";
import { KEY_RANGE } from "./proof-key.ts";
import type { ProofKeysTable } from "./schema.ts";

/** Keys that are read at once, about. */
const AT_ONCE = 16_384;

/**
 * All keys, some at a time. Each is told once, also when it is brought from one table into the other meanwhile.
 * @param count How many there are, about
 */
export async function* storedKeys(database: Database, count: number): AsyncGenerator<ProofKeysTable[]> {
  yield await keysWhere(database, sql<SqlBool>`key < 0 or key >= ${KEY_RANGE}`);
  const slices = Math.max(1, Math.ceil(count / AT_ONCE));
  for (let slice = 0; slice < slices; slice += 1) {
    const from = Math.floor((slice * KEY_RANGE) / slices);
    const to = Math.floor(((slice + 1) * KEY_RANGE) / slices);
    yield await keysWhere(database, sql<SqlBool>`key >= ${from} and key < ${to}`);
  }
}

/** In one statement: between two, a key could go from the table that is read last to the one that was read first. */
function keysWhere(database: Database, condition: ReturnType<typeof sql<SqlBool>>): Promise<ProofKeysTable[]> {
  return database
    .selectFrom("proof_keys")
    .select(["key", "sequence"])
    .where(condition)
    .unionAll(database.selectFrom("proof_keys_recent").select(["key", "sequence"]).where(condition))
    .execute();
}
