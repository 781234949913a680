import { Command } from "commander";
import { checkCommand } from "../journal/check-command.ts";
import { restoreCommand } from "../journal/restore-command.ts";
import { resolveCommand } from "../journal/resolve-command.ts";
import type { Terminal } from "./run-command.ts";

/** Creates the command `journal`. */
export function journalCommand(terminal: Terminal): Command {
  const program = new Command("journal");
  program.addCommand(checkCommand(terminal));
  program.addCommand(restoreCommand(terminal));
  program.addCommand(resolveCommand(terminal));
  return program;
}
