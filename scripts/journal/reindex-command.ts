import { Command } from "commander";
import { missingFile, openJournalToRead } from "../../server/composition/journal-database.ts";
import { parseConfig } from "../../server/config/config.ts";
import { SLICES } from "../../server/journal/index/key-sums.ts";
import { showProgress } from "../proofs/progress.ts";
import { CommandFailure } from "../proofs/run-command.ts";
import { printLine, type Terminal } from "../proofs/terminal.ts";
import { interruptible } from "./interruptible.ts";
import { reindex } from "./reindex.ts";

const INTERRUPTED = 130;

/** Creates the command `journal reindex`. */
export function reindexCommand(terminal: Terminal): Command {
  return new Command("reindex")
    .description("Writes the index of proofs again from the entries of the journal, with or without running servers.")
    .addHelpText(
      "after",
      `
The index has 256 slices, each of which is replaced at once: the command can be interrupted and repeated at any time.
The entries are trusted: run "npm run journal -- check" before and after it.
Exit code: 0 the index is new, 1 an entry cannot be read, 2 wrong usage, 130 interrupted.`,
    )
    .action(() => run(terminal));
}

async function run(terminal: Terminal): Promise<void> {
  const config = parseConfig(terminal.variables, { relays: false });
  const missing = missingFile(config.database);
  if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}`);
  const database = await openJournalToRead(config);
  const progress = showProgress("indexing", SLICES, "slices");
  let done = 0;
  try {
    const onSlices = (count: number): void => {
      progress.tick(count - done);
      done = count;
    };
    const { isComplete, keys } = await interruptible((signal) => reindex(database, { onSlices, signal }));
    progress.stop();
    printLine(terminal, `${isComplete ? "" : "interrupted: "}${done} of ${SLICES} slices, ${keys} keys written`);
    if (!isComplete) terminal.exit(INTERRUPTED);
  } finally {
    progress.stop();
    await database.destroy();
  }
}
