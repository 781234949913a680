import { Command } from "commander";
import { missingFile, openJournalDatabase } from "../../server/composition/database.ts";
import { parseConfig } from "../../server/config/config.ts";
import { readEnv } from "../../server/config/environment.ts";
import { SLICES } from "../../server/journal/index/key-sums.ts";
import { showProgress } from "../proofs/progress.ts";
import { CommandFailure } from "../proofs/run-command.ts";
import { interruptible } from "./interruptible.ts";
import { reindex } from "./reindex.ts";

const INTERRUPTED = 130;

/** Creates the command `journal reindex`. */
export function reindexCommand(): Command {
  return new Command("reindex")
    .description("Writes the index of proofs again from the entries of the journal, with or without running servers.")
    .addHelpText(
      "after",
      `
The index has 256 slices, each of which is replaced at once: the command can be interrupted and repeated at any time.
The entries are trusted: run "npm run journal -- check" before and after it.
Exit code: 0 the index is new, 1 an entry cannot be read, 2 wrong usage, 130 interrupted.`,
    )
    .action(run);
}

async function run(): Promise<void> {
  const config = parseConfig(readEnv(), { relays: false });
  const missing = missingFile(config.database);
  if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}`);
  const database = await openJournalDatabase(config.database);
  const progress = showProgress("indexing", SLICES, "slices");
  let done = 0;
  try {
    const onSlices = (count: number): void => {
      progress.tick(count - done);
      done = count;
    };
    const { isComplete, keys } = await interruptible((signal) => reindex(database, { onSlices, signal }));
    progress.stop();
    console.log(`${isComplete ? "" : "interrupted: "}${done} of ${SLICES} slices, ${keys} keys written`);
    if (!isComplete) process.exitCode = INTERRUPTED;
  } finally {
    progress.stop();
    await database.destroy();
  }
}
