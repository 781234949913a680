import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { sqliteDialect } from "../../server/journal/engine/sqlite.ts";
import type { EngineDatabase } from "./engine-database.ts";

/**
 * The database in a file, which may be in use. It is opened for each query: the last connection to close removes the
 * temporary files.
 */
export function sqliteDatabase(file: string, remove: () => Promise<void> = async () => undefined): EngineDatabase {
  return {
    url: `file:${file}`,
    connect: () => sqliteDialect(file),
    async query(text) {
      const database = new DatabaseSync(file, { readOnly: true });
      try {
        return database.prepare(text).all();
      } finally {
        database.close();
      }
    },
    literal: (bytes) => `x'${Buffer.from(bytes).toString("hex")}'`,
    async isLocked() {
      const database = new DatabaseSync(file, { timeout: 0 });
      try {
        database.exec("begin immediate; rollback");
        return false;
      } catch (error) {
        assert.match(String(error), /locked/);
        return true;
      } finally {
        database.close();
      }
    },
    async hold() {
      const database = new DatabaseSync(file);
      database.exec("begin immediate");
      return async () => database.close();
    },
    remove,
  };
}
