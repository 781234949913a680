// Drops the local copy of the event table; the server builds it again from the chain's log at its next start.
import { existsSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { parseConfig, readEnv } from "../server/config.ts";
import { holdDataFolder } from "../server/data-folder.ts";
import { SealbookError } from "../server/errors.ts";
import { copyStore } from "../server/journal/record-copy.ts";
import { openSqlite } from "../server/journal/sqlite.ts";

const FAILED = 1;
const BAD_USAGE = 2;

const program = new Command("resync")
  .description(
    "Drops the local copy of the records, with the server stopped; its next start builds the copy again from the chain.",
  )
  .exitOverride()
  .action(async () => {
    const config = parseConfig(readEnv());
    const file = config.databaseFile;
    if (!existsSync(file)) throw new SealbookError("not_found", `there is no database at ${file}`);
    const lock = await holdDataFolder(config.dataDirectory);
    const database = await openSqlite(file);
    await copyStore(database, config.tableName).drop();
    await database.destroy();
    lock.release();
    console.log("The local copy of the records is dropped; the next start of the server builds it again from the chain.");
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
