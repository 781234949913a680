import type { Database } from "../../server/journal/engine/database.ts";
import { JournalKey, useJournalKey } from "../../server/journal/integrity/journal-key.ts";

const KEY = JournalKey.generate();

/** Has a database append with the key of this run. */
export function withKey(database: Database): Database {
  useJournalKey(database, KEY);
  return database;
}
