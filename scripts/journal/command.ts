import { Command } from "commander";
import { checkCommand } from "./check-command.ts";
import { importCommand } from "./import-command.ts";
import { reindexCommand } from "./reindex.ts";
import { rekeyCommand } from "./rekey.ts";
import { restoreCommand } from "./restore-command.ts";
import { resolveCommand } from "./resolve-command.ts";
import type { Terminal } from "../proofs/run-command.ts";

/** Creates the command `journal`. */
export function journalCommand(terminal: Terminal): Command {
  const program = new Command("journal").description(
    "Checks and restores the journal: the database of accepted and anchored data.",
  );
  program.addCommand(checkCommand(terminal));
  program.addCommand(restoreCommand(terminal));
  program.addCommand(importCommand(terminal));
  program.addCommand(reindexCommand(terminal));
  program.addCommand(resolveCommand(terminal));
  program.addCommand(rekeyCommand(terminal));
  return program;
}
