// Drops the record index; the server rebuilds it from the chain at its next start.
import { Command, CommanderError } from "commander";
import { parseConfig } from "../server/config/config.ts";
import { readEnv } from "../server/config/environment.ts";
import { holdDataFolder } from "../server/composition/data-folder.ts";
import { SealbookError } from "../server/errors.ts";
import { missingFile, openJournalDatabase } from "../server/composition/journal-database.ts";
import { recordIndexStore } from "../server/records/record-index.ts";

const FAILED = 1;
const BAD_USAGE = 2;

const program = new Command("resync")
  .description("Drops the record index. Stop the server first; its next start rebuilds the index from the chain.")
  .exitOverride()
  .action(async () => {
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

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : BAD_USAGE;
  } else if (error instanceof SealbookError) {
    process.stderr.write(`resync: ${error.message}\n`);
    process.exitCode = FAILED;
  } else {
    throw error;
  }
}
