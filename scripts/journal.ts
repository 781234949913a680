// Looks after the journal as a whole: checks it, and builds it again.
import { Command } from "commander";
import { checkCommand } from "./journal/check-command.ts";
import { restoreCommand } from "./journal/restore-command.ts";
import { runCommand } from "./proofs/run-command.ts";

const program = new Command("journal").description(
  "Looks after the journal: the database of what was accepted and anchored.",
);
program.addCommand(checkCommand());
program.addCommand(restoreCommand());
await runCommand(program);
