import { join } from "node:path";
import { type Database, openDatabase } from "../../server/journal/database.ts";
import { sqliteDialect } from "../../server/journal/sqlite.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";

/** A real database in a folder of its own. */
export interface TestDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const directory = await temporaryDirectory();
  const database = await openDatabase(sqliteDialect(join(directory, "test.sqlite")));
  return {
    database,
    async close() {
      await database.destroy();
      await removeDirectory(directory);
    },
  };
}
