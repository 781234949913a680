// Looks after the journal as a whole. Works beside a running server and without one.
import { Command } from "commander";
import { checkCommand } from "./journal/check-command.ts";
import { runCommand } from "./proofs/run-command.ts";

/** Apart from 1, which says that something was found. */
const FAILED = 2;

const program = new Command("journal").description("Looks after the journal: the database of what was accepted and anchored.");
program.addCommand(checkCommand());
await runCommand(program, FAILED);
