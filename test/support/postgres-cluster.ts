import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { postgresBinaries } from "./postgres-binaries.ts";

const run = promisify(execFile);

/** Statements of the manual that create the role and the database of a server. */
const SETUP = /^## PostgreSQL$[^]*?^```sql\n([^]*?)^```$/m.exec(
  readFileSync(new URL("../../docs/operate.md", import.meta.url), "utf8"),
)?.[1];

/** Address and superuser's password of a PostgreSQL server on this machine. */
export interface PostgresAccess {
  readonly port: number;
  readonly password: string;
}

/** A PostgreSQL server for the tests. */
export interface PostgresServer {
  readonly access: PostgresAccess;
  /** Address of one of its databases, for a role: the one of its name unless given. */
  url(database: string, role?: string): string;
  /** Address of one of its databases, for the superuser. */
  superuserUrl(database: string): string;
  /** Creates an empty database and its role with the statements of the manual; returns the name of both. */
  createDatabase(): Promise<string>;
  /** Copies a database without connections; the copy belongs to the same role. Returns its name. */
  copyDatabase(template: string): Promise<string>;
  /** Drops a database, and the role of its name. */
  dropDatabase(name: string): Promise<void>;
  /** Queries the server as its superuser. */
  query(text: string, database?: string): Promise<Record<string, unknown>[]>;
}

/** A PostgreSQL server that ends with the process that started it. */
export interface PostgresCluster extends PostgresServer {
  start(): Promise<void>;
  /** Ends it: cleanly, after closing all connections, or at once, as in a crash. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Ends it at once and removes its files. */
  remove(): Promise<void>;
}

/**
 * Starts a server.
 * @param durable Whether commits survive a crash of the machine; false is faster
 * @param changes Settings that differ from the defaults of the tests
 */
export async function startPostgresCluster(
  durable: boolean,
  changes: Readonly<Record<string, string>> = {},
): Promise<PostgresCluster> {
  const directory = mkdtempSync(join(tmpdir(), "sealbook-postgres-"));
  const { folder: binaries, identity } = postgresBinaries(directory);
  const data = join(directory, "data");
  const password = randomBytes(8).toString("hex");
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, password);
  for (const path of [directory, passwordFile]) if (identity !== undefined) chownSync(path, identity.uid, identity.gid);
  const options = { ...identity, cwd: directory, env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" } };

  const control = join(binaries, "pg_ctl");
  // Leaves no process running: the pipe closes at the end of this process, for any reason.
  const watcher = spawn(
    "sh",
    [
      "-c",
      'cat > /dev/null; "$0" --pgdata "$1" --mode immediate stop > /dev/null 2>&1; rm -rf "$2"',
      control,
      data,
      directory,
    ],
    {
      ...options,
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    },
  );
  watcher.unref();
  if (watcher.stdin instanceof Socket) watcher.stdin.unref();

  // A collation that differs from the order of code points, as on many production servers.
  await run(
    join(binaries, "initdb"),
    [
      "--pgdata",
      data,
      "--username",
      "postgres",
      "--pwfile",
      passwordFile,
      "--auth",
      "scram-sha-256",
      "--encoding",
      "UTF8",
      "--locale-provider",
      "icu",
      "--icu-locale",
      "en-US",
      "--no-sync",
    ],
    options,
  );
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: directory,
    // Files of its own folder: those in shared memory stay behind when it ends at once.
    dynamic_shared_memory_type: "mmap",
    fsync: durable ? "on" : "off",
    shared_buffers: "128MB",
    max_connections: "400",
    // The guarantees of the journal must not depend on these.
    synchronous_commit: "off",
    default_transaction_isolation: "repeatable read",
    ...changes,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  writeFileSync(join(data, "postgresql.auto.conf"), lines.join(""));

  const cluster: PostgresCluster = {
    ...postgresServer({ port, password }),
    start: async () =>
      void (await run(control, ["--pgdata", data, "--log", join(directory, "log"), "--wait", "start"], options)),
    stop: async (mode) => void (await run(control, ["--pgdata", data, "--mode", mode, "--wait", "stop"], options)),
    async remove() {
      watcher.ref();
      const exited = once(watcher, "exit");
      watcher.stdin.end();
      await exited;
    },
  };
  await cluster.start();
  return cluster;
}

/** Returns the access to a running server. */
export function postgresServer(access: PostgresAccess): PostgresServer {
  const { port, password } = access;
  const urlFor = (role: string, database: string): string =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
  const server: PostgresServer = {
    access,
    url: (database, role = database) => urlFor(role, database),
    superuserUrl: (database) => urlFor("postgres", database),
    async createDatabase() {
      const name = `test_${randomBytes(6).toString("hex")}`;
      for (const statement of setupStatements(name, password)) await server.query(statement);
      return name;
    },
    async copyDatabase(template) {
      const name = `test_${randomBytes(6).toString("hex")}`;
      await server.query(`create database ${name} template ${template} owner ${template}`);
      return name;
    },
    async dropDatabase(name) {
      await server.query(`drop database ${name} with (force)`);
      await server.query(`drop role if exists ${name}`);
    },
    async query(text, database = "postgres") {
      const client = new pg.Client({ connectionString: server.superuserUrl(database) });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text)).rows;
      } finally {
        await client.end();
      }
    },
  };
  return server;
}

/** Returns the statements of the manual with another name and password. */
function setupStatements(name: string, password: string): string[] {
  if (SETUP === undefined) throw new Error("docs/operate.md has no SQL that creates the database");
  return SETUP.replaceAll(/\bsealbook\b/g, name)
    .replaceAll("'...'", `'${password}'`)
    .split(";")
    .filter((statement) => statement.trim() !== "");
}
