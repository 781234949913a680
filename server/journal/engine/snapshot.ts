import { sql } from "kysely";
import { type Database, isPostgres } from "./database.ts";

/**
 * Runs reads that see the database as it is at one time. Inside a write transaction they see that transaction.
 * @param work Uses no other connection: the embedded engine has one only
 */
export async function inSnapshot<T>(database: Database, work: (snapshot: Database) => Promise<T>): Promise<T> {
  if (database.isTransaction) return work(database);
  const begin = isPostgres(database) ? "begin isolation level repeatable read read only" : "begin deferred";
  return database.connection().execute(async (connection) => {
    await sql.raw(begin).execute(connection);
    try {
      return await work(connection);
    } finally {
      // A connection that broke has no transaction any more; its error is that of the work.
      await sql`commit`.execute(connection).catch(() => undefined);
    }
  });
}
