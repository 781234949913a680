import { join } from "node:path";
import type { Dialect } from "kysely";
import { type Database, openDatabase } from "../../server/journal/database.ts";
import { postgresDialect } from "../../server/journal/postgres.ts";
import { sqliteDialect } from "../../server/journal/sqlite.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import { type PostgresCluster, startPostgresCluster } from "./postgres-cluster.ts";

/** What the journal runs on: whatever concerns the database is tested on each. */
export const ENGINES = ["sqlite", "postgres"] as const;
export type Engine = (typeof ENGINES)[number];

/** An empty database of its own. */
export interface EmptyDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string;
  connect(): Dialect;
  remove(): Promise<void>;
}

/** A real database with the journal's schema. */
export interface TestDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

let cluster: Promise<PostgresCluster> | undefined;

/** The one server of this process, made when it is first needed. */
export function sharedCluster(): Promise<PostgresCluster> {
  cluster ??= startPostgresCluster(false);
  return cluster;
}

export async function emptyDatabase(engine: Engine): Promise<EmptyDatabase> {
  if (engine === "postgres") {
    const server = await sharedCluster();
    const name = await server.createDatabase();
    return { url: server.url(name), connect: () => postgresDialect(server.url(name)), remove: () => server.dropDatabase(name) };
  }
  const directory = await temporaryDirectory();
  const file = join(directory, "test.sqlite");
  return { url: `file:${file}`, connect: () => sqliteDialect(file), remove: () => removeDirectory(directory) };
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
