import { Kysely } from "kysely";
import { WRITE_LOCK } from "../../server/journal/leader/leader-session.ts";
import { postgresDialect } from "../../server/journal/engine/postgres.ts";
import type { EngineDatabase } from "./engine-database.ts";
import type { PostgresServer } from "./postgres-cluster.ts";

/**
 * Creates a database on a server.
 * @param template The database that it is a copy of; empty without
 */
export async function postgresDatabase(cluster: PostgresServer, template?: string): Promise<EngineDatabase> {
  const name = await (template === undefined ? cluster.createDatabase() : cluster.copyDatabase(template));
  const url = cluster.url(name, template);
  return {
    url,
    connect: () => postgresDialect(url),
    query: (text) => cluster.query(text, name),
    literal: (bytes) => `'\\x${Buffer.from(bytes).toString("hex")}'::bytea`,
    async isLocked() {
      const lockQuery = `select 1 from pg_locks where locktype = 'advisory' and granted
          and classid::bigint << 32 | objid::bigint = ${WRITE_LOCK}
          and database = (select oid from pg_database where datname = current_database())`;
      return (await cluster.query(lockQuery, name)).length > 0;
    },
    async hold() {
      const database = new Kysely<unknown>({ dialect: postgresDialect(url) });
      const { promise, resolve } = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const lockQuery = database.transaction().execute(async () => {
        begun.resolve();
        await promise;
      });
      await Promise.race([begun.promise, lockQuery]);
      return async () => {
        resolve();
        await lockQuery;
        await database.destroy();
      };
    },
    remove: () => cluster.dropDatabase(name),
  };
}
