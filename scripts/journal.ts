// Checks, restores and completes the journal.
import { journalCommand } from "./journal/command.ts";
import { processTerminal, runCommand } from "./proofs/run-command.ts";

await runCommand(journalCommand(processTerminal()));
