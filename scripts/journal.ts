// Checks, restores and completes the journal.
import { journalCommand } from "./journal/command.ts";
import { runCommand } from "./proofs/run-command.ts";
import { processTerminal } from "./proofs/terminal.ts";

await runCommand(journalCommand(processTerminal()));
