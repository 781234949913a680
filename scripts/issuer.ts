// Lists and rotates the keys that sign bundles and attestations. Works with and without a running server; a running
// server switches to the new key by itself.
import { issuerCommand } from "./issuer/command.ts";
import { processTerminal, runCommand } from "./proofs/run-command.ts";

await runCommand(issuerCommand(processTerminal()));
