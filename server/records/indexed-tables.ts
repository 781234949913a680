import { SealbookError } from "../errors.ts";
import type { Database } from "../journal/engine/database.ts";
import type { IndexedTable } from "./record-index.ts";

/**
 * Returns the tables that the record index covers: the given one, to which this server writes, and all that it wrote to
 * before. A new one has the index rebuilt, so that no row of it is missing.
 * @param mayReplace Whether the server may write to another table than before
 * @throws SealbookError `conflict` when it is another table
 */
export async function indexedTables(
  database: Database,
  { contract, name, firstBlock }: Omit<IndexedTable, "id">,
  mayReplace: boolean,
): Promise<IndexedTable[]> {
  return database.transaction().execute(async (transaction) => {
    const read = () => transaction.selectFrom("indexed_tables").selectAll().orderBy("id").execute();
    const isThis = (each: { contract: string; name: string }): boolean =>
      each.contract === contract && each.name === name;
    const before = await read();
    const current = before.find((each) => each.is_current === 1);
    if (current === undefined || !isThis(current)) {
      if (current !== undefined && !mayReplace) throw otherTable(current, { contract, name });
      await transaction.updateTable("indexed_tables").set({ is_current: 0 }).execute();
      const known = before.find(isThis);
      if (known === undefined) {
        await transaction
          .insertInto("indexed_tables")
          .values({ contract, name, first_block: firstBlock, is_current: 1 })
          .execute();
        for (const each of ["index_progress", "records", "row_copies"] as const)
          await transaction.deleteFrom(each).execute();
      } else
        await transaction.updateTable("indexed_tables").set({ is_current: 1 }).where("id", "=", known.id).execute();
    }
    return (await read()).map(({ id, first_block, ...row }) => ({
      id,
      contract: row.contract,
      name: row.name,
      firstBlock: first_block,
    }));
  });
}

type TableName = Pick<IndexedTable, "contract" | "name">;

function otherTable(journal: TableName, found: TableName): SealbookError {
  const text = ({ name, contract }: TableName): string => `table ${JSON.stringify(name)} of EventTable ${contract}`;
  return new SealbookError(
    "conflict",
    `the records of this server are in ${text(journal)}, but TABLE_NAME and the deployment file name ${text(found)}; ` +
      "set NEW_CONTRACTS=yes to continue with it: the former records stay in searches",
  );
}
