// Checks, restores and completes the journal.
import { Command } from "commander";
import { checkCommand } from "./journal/check-command.ts";
import { importCommand } from "./journal/import-command.ts";
import { reindexCommand } from "./journal/reindex-command.ts";
import { restoreCommand } from "./journal/restore-command.ts";
import { resolveCommand } from "./journal/resolve-command.ts";
import { runCommand } from "./proofs/run-command.ts";

const program = new Command("journal").description(
  "Checks and restores the journal: the database of accepted and anchored data.",
);
program.addCommand(checkCommand());
program.addCommand(restoreCommand());
program.addCommand(importCommand());
program.addCommand(reindexCommand());
program.addCommand(resolveCommand());
await runCommand(program);
