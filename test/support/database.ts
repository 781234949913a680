import { join } from "node:path";
import { type Database, openDatabase } from "../../server/journal/engine/database.ts";
import { postgresDialect } from "../../server/journal/engine/postgres.ts";
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

let template: Promise<string> | undefined;

/** Creates a database with the journal's schema; returns its name. */
async function migratedTemplate(): Promise<string> {
  const shared = await sharedCluster();
  const name = await shared.createDatabase();
  await (await openDatabase(postgresDialect(shared.url(name)))).destroy();
  return name;
}

/** Creates a database that may have the journal's schema already; migrations of PostgreSQL take long. */
async function preparedDatabase(engine: Engine): Promise<EngineDatabase> {
  if (engine === "sqlite") return emptyDatabase(engine);
  template ??= migratedTemplate();
  return postgresDatabase(await sharedCluster(), await template);
}

export async function openTestDatabase(engine: Engine = "sqlite"): Promise<TestDatabase> {
  const empty = await preparedDatabase(engine);
  const database = await openDatabase(empty.connect());
  return {
    database,
    async close() {
      await database.destroy();
      await empty.remove();
    },
  };
}
