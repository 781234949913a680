import { randomBytes } from "node:crypto";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "../../server/journal/engine/database.ts";
import { postgresDialect } from "../../server/journal/engine/postgres.ts";
import { sqliteDialect } from "../../server/journal/engine/sqlite.ts";
import { type Engine, sharedCluster, type TestDatabase } from "./database.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import { JournalWriter } from "./journal-writer.ts";

/** A copy of a prepared journal. */
export interface JournalCopy extends TestDatabase {
  /** Continues the prepared journal. */
  readonly writer: JournalWriter;
}

/** A journal that is written once, and copied for each test that changes it. */
export interface PreparedJournal {
  copy(): Promise<JournalCopy>;
  close(): Promise<void>;
}

/** Writes a journal to copy. */
export function prepareJournal(
  engine: Engine,
  write: (writer: JournalWriter) => Promise<unknown>,
): Promise<PreparedJournal> {
  return engine === "sqlite" ? prepareSqlite(write) : preparePostgres(write);
}

async function prepareSqlite(write: (writer: JournalWriter) => Promise<unknown>): Promise<PreparedJournal> {
  const directory = await temporaryDirectory();
  const original = join(directory, "original.sqlite");
  const database = await openDatabase(sqliteDialect(original));
  const former = new JournalWriter(database);
  await write(former);
  // The last connection moves the write-ahead log into the file.
  await database.destroy();
  return {
    async copy() {
      const file = join(directory, `${randomBytes(6).toString("hex")}.sqlite`);
      await copyFile(original, file);
      const copied = await openDatabase(sqliteDialect(file));
      return { database: copied, writer: new JournalWriter(copied, former), close: () => copied.destroy() };
    },
    close: () => removeDirectory(directory),
  };
}

async function preparePostgres(write: (writer: JournalWriter) => Promise<unknown>): Promise<PreparedJournal> {
  const cluster = await sharedCluster();
  const original = await cluster.createDatabase();
  const database = await openDatabase(postgresDialect(cluster.url(original)));
  const former = new JournalWriter(database);
  await write(former);
  // A template has no connections.
  await database.destroy();
  return {
    async copy() {
      const name = `test_${randomBytes(6).toString("hex")}`;
      await cluster.query(`create database ${name} template ${original} owner ${original}`);
      const url = new URL(cluster.url(original));
      url.pathname = name;
      const copied = await openDatabase(postgresDialect(url.href));
      return {
        database: copied,
        writer: new JournalWriter(copied, former),
        async close() {
          await copied.destroy();
          await cluster.query(`drop database ${name} with (force)`);
        },
      };
    },
    close: () => cluster.dropDatabase(original),
  };
}
