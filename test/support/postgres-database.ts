import { Kysely } from "kysely";
import { postgresDialect } from "../../server/journal/engine/postgres.ts";
import type { EngineDatabase } from "./engine-database.ts";
import type { PostgresCluster } from "./postgres-cluster.ts";

/** Creates an empty database on a server. */
export async function postgresDatabase(cluster: PostgresCluster): Promise<EngineDatabase> {
  const name = await cluster.createDatabase();
  const url = cluster.url(name);
  return {
    url,
    connect: () => postgresDialect(url),
    query: (text) => cluster.query(text, name),
    literal: (bytes) => `'\\x${Buffer.from(bytes).toString("hex")}'::bytea`,
    async isLocked() {
      const lockQuery = `select 1 from pg_locks where locktype = 'advisory' and granted
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
