// Drops the local copy of the event table; the server builds it again from the chain's log at its next start.
import { existsSync } from "node:fs";
import { parseConfig, readEnv } from "../server/config.ts";
import { SealbookError } from "../server/errors.ts";
import { copyStore } from "../server/journal/record-copy.ts";
import { openSqlite } from "../server/journal/sqlite.ts";

try {
  const config = parseConfig(readEnv());
  if (!existsSync(config.databaseFile)) throw new SealbookError("not_found", `there is no database at ${config.databaseFile}`);
  const database = await openSqlite(config.databaseFile);
  await copyStore(database, config.tableName).drop();
  await database.destroy();
  console.log("The local copy of the records is dropped; restart the server to build it again from the chain.");
} catch (error) {
  if (!(error instanceof SealbookError)) throw error;
  process.stderr.write(`resync: ${error.message}\n`);
  process.exitCode = 1;
}
