import { join } from "node:path";
import { type Database, openDatabase } from "../../server/journal/engine/database.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { type PostgresCluster, startPostgresCluster } from "./postgres-cluster.ts";
import { postgresDatabase } from "./postgres-database.ts";
import { sqliteDatabase } from "./sqlite-database.ts";

/** Database engines of the journal: every database test runs on each. */
export const ENGINES = ["sqlite", "postgres"] as const;
export type Engine = (typeof ENGINES)[number];

/** A real database with the journal's schema. */
export interface TestDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

let cluster: Promise<PostgresCluster> | undefined;

/** Returns the one PostgreSQL server of this process, which the first call starts. */
export function sharedCluster(): Promise<PostgresCluster> {
  cluster ??= startPostgresCluster(false);
  return cluster;
}

/** Creates an empty database. */
export async function emptyDatabase(engine: Engine): Promise<EngineDatabase> {
  if (engine === "postgres") return postgresDatabase(await sharedCluster());
  const directory = await temporaryDirectory();
  return sqliteDatabase(join(directory, "test.sqlite"), () => removeDirectory(directory));
}

export async function openTestDatabase(engine: Engine = "sqlite"): Promise<TestDatabase> {
  const empty = await emptyDatabase(engine);
  const database = await openDatabase(empty.connect());
  return {
    database,
    async close() {
      await database.destroy();
      await empty.remove();
    },
  };
}
