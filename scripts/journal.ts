// The journal as a whole: restoring it from a replica.
import { Command } from "commander";
import { restoreCommand } from "./journal/restore-command.ts";
import { runCommand } from "./proofs/run-command.ts";

await runCommand(new Command("journal").description("Works on the journal as a whole.").addCommand(restoreCommand()));
