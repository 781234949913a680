import { Command } from "commander";
import { parseConfig } from "../../server/config/config.ts";
import { holdDataFolder } from "../../server/composition/data-folder.ts";
import { missingFile, openJournalDatabase } from "../../server/composition/journal-database.ts";
import { recordIndexStore } from "../../server/records/record-index.ts";
import { CommandFailure, printLine, type Terminal } from "./run-command.ts";

/** Creates the command `resync`. */
export function resyncCommand(terminal: Terminal): Command {
  return new Command("resync").action(async () => {
    const config = parseConfig(terminal.variables, { relays: false });
    const missing = missingFile(config.database);
    if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}`);
    const lock = await holdDataFolder(config.dataDirectory);
    try {
      const database = await openJournalDatabase(config.database);
      await recordIndexStore(database, config.records.tableName)
        .drop()
        .finally(() => database.destroy());
    } finally {
      lock.release();
    }
    printLine(terminal, "The record index is dropped; the next start of the server rebuilds it from the chain.");
  });
}
