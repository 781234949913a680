import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { assert } from "chai";
import pg from "pg";
import { POSTGRES_TYPES } from "../../server/journal/engine/postgres-types.ts";
import { type Engine, sharedCluster } from "./database.ts";
import type { EngineDatabase } from "./engine-database.ts";

export type Value = SQLInputValue;
export type Row = Readonly<Record<string, Value>>;

/** A column, according to the database. */
export interface Column {
  readonly name: string;
  readonly isNullable: boolean;
  readonly isKey: boolean;
}

/** One change of the database: of a row, a row less, or a row more. */
export interface RowChange {
  readonly table: string;
  /** The row before; none when one is inserted. */
  readonly before: Row | undefined;
  /** The row after; none when it is deleted. */
  readonly after: Row | undefined;
}

/** An administrator of the database: changes rows one by one, without the rules of the schema except unique keys. */
export interface Attacker {
  tables(): Promise<string[]>;
  columnsOf(table: string): Promise<Column[]>;
  /** Reads a table in the order of its key. */
  rowsOf(table: string): Promise<Row[]>;
  /** @returns false when a constraint of the database forbids it, such as a unique key */
  apply(change: RowChange): Promise<boolean>;
  /** Puts the row before back, also when the server has written one with the same key meanwhile. */
  undo(change: RowChange): Promise<void>;
  /** Gives a table the rows that it had, and no others. */
  restore(table: string, rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}

/** Runs one statement with parameters, as `$1` or `?` in their order. */
type Query = (text: string, parameters?: readonly Value[]) => Promise<Row[]>;

/** Connects to a database of which a server uses the tables: on PostgreSQL as superuser. */
export async function attackerOf(database: EngineDatabase, engine: Engine): Promise<Attacker> {
  return engine === "sqlite" ? sqliteAttacker(database) : postgresAttacker(database);
}

function sqliteAttacker({ url }: EngineDatabase): Attacker {
  const connection = new DatabaseSync(url.replace(/^file:/, ""));
  connection.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  for (const { name } of connection.prepare("select name from sqlite_master where type = 'trigger'").all())
    connection.exec(`drop trigger "${String(name)}"`);
  const query: Query = async (text, parameters = []) => connection.prepare(text).all(...parameters);
  return attacker(query, {
    begin: "begin immediate",
    place: () => "?",
    tables: "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
    columns: `select name, "notnull" = 0 and pk = 0 as nullable, pk > 0 as key from pragma_table_info(?)`,
    close: async () => connection.close(),
  });
}

async function postgresAttacker({ url }: EngineDatabase): Promise<Attacker> {
  const name = new URL(url).pathname.slice(1);
  const client = new pg.Client({
    connectionString: (await sharedCluster()).superuserUrl(name),
    types: POSTGRES_TYPES,
  });
  await client.connect();
  const query: Query = async (text, parameters = []) => (await client.query<Row>(text, [...parameters])).rows;
  // No triggers and no foreign keys.
  await query("set session_replication_role = replica");
  for (const { owner, rule } of await query(`
    select conrelid::regclass::text as owner, conname::text as rule from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace`))
    await query(`alter table ${String(owner)} drop constraint "${String(rule)}"`);
  return attacker(query, {
    // The server sets a stricter default, which fails when the server writes meanwhile.
    begin: "begin isolation level read committed",
    place: (number) => `$${number}`,
    tables: `
      select relname::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    columns: `
      select attname::text as name, (not attnotnull)::integer as nullable,
        coalesce(attnum = any(indkey), false)::integer as key
      from pg_attribute left join pg_index on indrelid = attrelid and indisprimary
      where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    close: () => client.end(),
  });
}

interface Dialect {
  readonly begin: string;
  /** The place of a parameter, counted from 1. */
  readonly place: (number: number) => string;
  readonly tables: string;
  readonly columns: string;
  readonly close: () => Promise<void>;
}

function attacker(query: Query, { begin, place, tables, columns, close }: Dialect): Attacker {
  const known = new Map<string, Column[]>();
  const columnsOf = async (table: string): Promise<Column[]> => {
    const found = known.get(table);
    if (found !== undefined) return found;
    const made = (await query(columns, [table])).map(({ name, nullable, key }) => ({
      name: String(name),
      isNullable: nullable === 1,
      // PostgreSQL's index of proofs has no primary key.
      isKey: table === "proof_index" || key === 1,
    }));
    assert.isTrue(
      made.some(({ isKey }) => isKey),
      `${table} has a primary key`,
    );
    known.set(table, made);
    return made;
  };
  const keysOf = async (table: string): Promise<string[]> =>
    (await columnsOf(table)).filter(({ isKey }) => isKey).map(({ name }) => name);
  const remove = async (table: string, row: Row): Promise<void> => {
    const keys = await keysOf(table);
    const where = keys.map((name, index) => `"${name}" = ${place(index + 1)}`).join(" and ");
    await query(
      `delete from "${table}" where ${where}`,
      keys.map((name) => row[name] ?? null),
    );
  };
  const add = async (table: string, row: Row): Promise<void> => {
    const names = Object.keys(row);
    const list = names.map((name) => `"${name}"`).join();
    const places = names.map((_, index) => place(index + 1)).join();
    await query(
      `insert into "${table}" (${list}) values (${places})`,
      names.map((name) => row[name] ?? null),
    );
  };
  const atOnce = async (work: () => Promise<void>): Promise<void> => {
    await query(begin);
    try {
      await work();
      await query("commit");
    } catch (error) {
      await query("rollback");
      throw error;
    }
  };
  const replace = (table: string, removed: readonly (Row | undefined)[], added?: Row): Promise<void> =>
    atOnce(async () => {
      for (const row of removed) if (row !== undefined) await remove(table, row);
      if (added !== undefined) await add(table, added);
    });
  return {
    tables: async () => (await query(tables)).map(({ name }) => String(name)),
    columnsOf,
    rowsOf: async (table) =>
      query(`select * from "${table}" order by ${(await keysOf(table)).map((name) => `"${name}"`).join()}`),
    async apply({ table, before, after }) {
      try {
        await replace(table, [before], after);
        return true;
      } catch (error) {
        if (isConstraint(error)) return false;
        throw error;
      }
    },
    undo: ({ table, before, after }) => replace(table, [after, before], before),
    restore: (table, rows) =>
      atOnce(async () => {
        await query(`delete from "${table}"`);
        for (const row of rows) await add(table, row);
      }),
    close,
  };
}

function isConstraint(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code?.startsWith("23") === true;
  return error instanceof Error && /constraint failed/.test(error.message);
}
