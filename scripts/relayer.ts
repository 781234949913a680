// Lists the relayers of a deployment, grants and revokes their roles. Works with and without a running server.
import { relayerCommand } from "./relayer/command.ts";
import { processTerminal, runCommand } from "./proofs/run-command.ts";

await runCommand(relayerCommand(processTerminal()));
