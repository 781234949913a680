import type { Database } from "../journal/engine/database.ts";
import type { IndexedTable } from "./record-index.ts";

/**
 * Returns the tables that the record index covers: the given one, to which this server writes, and all that it wrote to
 * before. A new one has the index rebuilt, so that no row of it is missing.
 */
export async function indexedTables(
  database: Database,
  { contract, name }: Omit<IndexedTable, "id">,
): Promise<IndexedTable[]> {
  return database.transaction().execute(async (transaction) => {
    const read = () => transaction.selectFrom("indexed_tables").selectAll().orderBy("id").execute();
    const known = await read();
    if (known.some((each) => each.contract === contract && each.name === name)) return known;
    await transaction.insertInto("indexed_tables").values({ contract, name }).execute();
    await transaction.deleteFrom("index_progress").execute();
    await transaction.deleteFrom("records").execute();
    await transaction.deleteFrom("row_copies").execute();
    return read();
  });
}
