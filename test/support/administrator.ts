import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type Engine, sharedCluster } from "./database.ts";
import type { EngineDatabase } from "./engine-database.ts";

/** Who can write to a database, and has nothing else. */
export interface Access {
  readonly engine: Engine;
  readonly who: string;
  readonly isSuperuser: boolean;
}

export const EVERY_ACCESS: readonly Access[] = [
  { engine: "sqlite", who: "who has the file", isSuperuser: false },
  { engine: "postgres", who: "the application's role", isSuperuser: false },
  { engine: "postgres", who: "a superuser", isSuperuser: true },
];

/** Tables that a copy of the journal has. */
const COPIED = ["entries", "anchors", "confirmations", "transactions", "proof_index", "proof_index_recent"];

/** An administrator of a database, who can also drop its rules and add triggers. */
export interface Administrator {
  /** Runs statements in one transaction. */
  run(...statements: readonly string[]): Promise<void>;
  /** Keeps a copy of the journal. */
  copy(name: string): Promise<void>;
  /** Puts a copy in the place of the journal. */
  putBack(name: string): Promise<void>;
  /**
   * Adds a trigger that changes columns of rows as they are inserted.
   * @param when A condition on `new`
   */
  changeInserted(name: string, table: string, when: string, columns: Readonly<Record<string, string>>): Promise<void>;
  /** Adds one that changes them as they are updated. */
  changeUpdated: Administrator["changeInserted"];
  /** Adds a trigger that drops rows as they are inserted. */
  swallow(name: string, table: string): Promise<void>;
  dropTrigger(name: string, table: string): Promise<void>;
  close(): Promise<void>;
}

/** Connects to a database of which a server uses the tables. */
export async function administratorOf(
  database: EngineDatabase,
  { engine, isSuperuser }: Access,
): Promise<Administrator> {
  return engine === "sqlite" ? ofSqlite(database) : ofPostgres(database, isSuperuser);
}

function ofSqlite({ url }: EngineDatabase): Administrator {
  const connection = new DatabaseSync(url.replace(/^file:/, ""));
  connection.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = OFF");
  const run = async (...statements: readonly string[]): Promise<void> => {
    connection.exec(["begin immediate", ...statements, "commit"].join(";"));
  };
  const change =
    (event: string): Administrator["changeInserted"] =>
    (name, table, when, columns) => {
      const key = table === "confirmations" ? "sequence" : "id";
      const set = Object.entries(columns).map(([column, value]) => `${column} = ${value}`);
      return run(
        `create trigger ${name} after ${event} on ${table} when ${when} begin
          update ${table} set ${set.join(", ")} where ${key} = new.${key}; end`,
      );
    };
  return {
    run,
    ...copies(run, COPIED),
    changeInserted: change("insert"),
    changeUpdated: change("update"),
    swallow: (name, table) => run(`create trigger ${name} before insert on ${table} begin select raise(ignore); end`),
    dropTrigger: (name) => run(`drop trigger ${name}`),
    close: async () => connection.close(),
  };
}

async function ofPostgres({ url }: EngineDatabase, isSuperuser: boolean): Promise<Administrator> {
  const name = new URL(url).pathname.slice(1);
  const client = new pg.Client({ connectionString: isSuperuser ? (await sharedCluster()).superuserUrl(name) : url });
  await client.connect();
  // The tables belong to the application's role.
  const { rows } = await client.query<{ owner: string; rule: string }>(
    "select conrelid::regclass::text as owner, conname::text as rule from pg_constraint " +
      "where contype in ('c', 'f') and connamespace = 'public'::regnamespace",
  );
  for (const { owner, rule } of rows) await client.query(`alter table ${owner} drop constraint "${rule}"`);
  const run = async (...statements: readonly string[]): Promise<void> => {
    try {
      await client.query(["begin isolation level read committed", ...statements, "commit"].join(";"));
    } catch (error) {
      await client.query("rollback");
      throw error;
    }
  };
  const change =
    (event: string): Administrator["changeInserted"] =>
    (trigger, table, when, columns) => {
      const set = Object.entries(columns).map(([column, value]) => `new.${column} := ${value}`);
      return run(
        `create function ${trigger}() returns trigger language plpgsql as
          $$ begin ${set.join("; ")}; return new; end $$`,
        `create trigger ${trigger} before ${event} on ${table} for each row when (${when})
          execute function ${trigger}()`,
      );
    };
  return {
    run,
    ...copies(
      run,
      COPIED.filter((table) => table !== "proof_index_recent"),
    ),
    changeInserted: change("insert"),
    changeUpdated: change("update"),
    swallow: (name, table) =>
      run(
        `create function ${name}() returns trigger language plpgsql as $$ begin return null; end $$`,
        `create trigger ${name} before insert on ${table} for each row execute function ${name}()`,
      ),
    dropTrigger: (name, table) => run(`drop trigger ${name} on ${table}`, `drop function ${name}`),
    close: () => client.end(),
  };
}

function copies(run: Administrator["run"], tables: readonly string[]): Pick<Administrator, "copy" | "putBack"> {
  return {
    copy: (name) => run(...tables.map((table) => `create table ${name}_${table} as select * from ${table}`)),
    putBack: (name) =>
      run(
        ...tables.flatMap((table) => [`delete from ${table}`, `insert into ${table} select * from ${name}_${table}`]),
      ),
  };
}
