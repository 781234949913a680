import { Command } from "commander";
import { parseConfig } from "../../server/config/config.ts";
import { readEnv } from "../../server/config/environment.ts";
import { holdDataFolder } from "../../server/composition/data-folder.ts";
import { SealbookError } from "../../server/errors.ts";
import { missingFile, openJournalDatabase } from "../../server/composition/journal-database.ts";
import { recordIndexStore } from "../../server/records/record-index.ts";

/** Creates the command `resync`. */
export function resyncCommand(): Command {
  const program = new Command("resync").action(async () => {
    const config = parseConfig(readEnv());
    const missing = missingFile(config.database);
    if (missing !== undefined) throw new SealbookError("not_found", `there is no database at ${missing}`);
    const lock = await holdDataFolder(config.dataDirectory);
    const database = await openJournalDatabase(config.database);
    await recordIndexStore(database, config.records.tableName).drop();
    await database.destroy();
    lock.release();
    console.log("The record index is dropped; the next start of the server rebuilds it from the chain.");
  });

  return program;
}
