// Enrols, lists and revokes accounts, and changes their passwords. Works with and without a running server.
import { accountCommand } from "./account/command.ts";
import { processTerminal, runCommand } from "./proofs/run-command.ts";

await runCommand(accountCommand(processTerminal()));
