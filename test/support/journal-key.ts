import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { JournalKey, useJournalKey } from "../../server/journal/integrity/journal-key.ts";
import type { Database } from "../../server/journal/engine/database.ts";

const TEXT = "5ea1".repeat(16);
const KEY = JournalKey.parse(TEXT) ?? assert.fail("no key");

/** Has a database append with the tests' key. */
export function withKey(database: Database): Database {
  useJournalKey(database, KEY);
  return database;
}

/** Has the server of a data folder append with the tests' key, as relayers of one database have to. */
export async function putKey(directory: string): Promise<void> {
  const file = join(directory, "journal.key");
  await mkdir(directory, { recursive: true });
  if (!existsSync(file)) await writeFile(file, TEXT, { mode: 0o600 });
}
