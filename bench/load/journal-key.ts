import type { Database } from "../../server/journal/engine/database.ts";
import { JournalKey, useJournalKey } from "../../server/journal/integrity/journal-key.ts";

/** One of all processes of a run. */
const KEY = JournalKey.parse("be".repeat(32));

/** Has a database append, and check rows, with the key of the bench. */
export function withKey(database: Database): Database {
  useJournalKey(database, KEY);
  return database;
}
