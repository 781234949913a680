import { Command } from "commander";
import { parseConfig } from "../../server/config/config.ts";
import { missingFile } from "../../server/composition/journal-database.ts";
import { openOfflineJournal } from "../../server/composition/offline-journal.ts";
import { recordIndexStore } from "../../server/records/record-index.ts";
import { CommandFailure, printLine, type Terminal } from "./run-command.ts";

/** Creates the command `resync`. */
export function resyncCommand(terminal: Terminal): Command {
  return new Command("resync").action(async () => {
    const config = parseConfig(terminal.variables, { relays: false });
    const missing = missingFile(config.database);
    if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}`);
    // A running indexer would go on with the dropped rows.
    await using journal = await openOfflineJournal(config);
    await recordIndexStore(journal.database, journal.key, config.records.tableName).drop();
    printLine(terminal, "The record index is dropped; the next start of the server rebuilds it from the chain.");
  });
}
