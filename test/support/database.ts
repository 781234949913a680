import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "../../server/journal/engine/database.ts";
import { postgresDialect } from "../../server/journal/engine/postgres.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import type { EngineDatabase } from "./engine-database.ts";
import {
  type PostgresAccess,
  type PostgresCluster,
  type PostgresServer,
  postgresServer,
  startPostgresCluster,
} from "./postgres-cluster.ts";
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

/** Access to the PostgreSQL server of a whole run, as JSON. */
const SHARED_CLUSTER = "TEST_POSTGRES";
/** The access, with a database that has the journal's schema. */
interface SharedCluster extends PostgresAccess {
  readonly template: string;
}

/** Starts the PostgreSQL server of a whole run: the processes of the run inherit its address. */
export async function shareCluster(): Promise<PostgresCluster> {
  const server = await startPostgresCluster(false);
  const shared: SharedCluster = { ...server.access, template: await migratedTemplate(server) };
  process.env[SHARED_CLUSTER] = JSON.stringify(shared);
  return server;
}

let cluster: Promise<{ server: PostgresServer; template: string }> | undefined;

/** Returns the run's PostgreSQL server; the first call of a process without one starts one. */
export async function sharedCluster(): Promise<PostgresServer> {
  cluster ??= openCluster();
  return (await cluster).server;
}

async function openCluster(): Promise<{ server: PostgresServer; template: string }> {
  if (process.env[SHARED_CLUSTER] === undefined) await shareCluster();
  const { template, ...access } = JSON.parse(process.env[SHARED_CLUSTER] ?? "") as SharedCluster;
  return { server: postgresServer(access), template };
}

/** Copies a database that no server uses. */
export async function copyOf(database: EngineDatabase, engine: Engine): Promise<EngineDatabase> {
  const { pathname } = new URL(database.url);
  if (engine === "postgres") return postgresDatabase(await sharedCluster(), pathname.slice(1));
  const directory = await temporaryDirectory();
  const file = join(directory, "copy.sqlite");
  await copyFile(pathname, file);
  return sqliteDatabase(file, () => removeDirectory(directory));
}

/** Creates an empty database. */
export async function emptyDatabase(engine: Engine): Promise<EngineDatabase> {
  if (engine === "postgres") return postgresDatabase(await sharedCluster());
  const directory = await temporaryDirectory();
  return sqliteDatabase(join(directory, "test.sqlite"), () => removeDirectory(directory));
}

/** Creates a database with the journal's schema, which tests copy; returns its name. */
async function migratedTemplate(server: PostgresServer): Promise<string> {
  const name = await server.createDatabase();
  await (await openDatabase(postgresDialect(server.url(name)))).destroy();
  return name;
}

/** Creates a database that may have the journal's schema already; migrations of PostgreSQL take long. */
async function preparedDatabase(engine: Engine): Promise<EngineDatabase> {
  if (engine === "sqlite") return emptyDatabase(engine);
  cluster ??= openCluster();
  const { server, template } = await cluster;
  return postgresDatabase(server, template);
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
