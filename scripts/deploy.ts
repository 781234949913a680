// npx hardhat run scripts/deploy.ts --network NAME deploys to a network of hardhat.config.ts.
import hre from "hardhat";
import { deployCommand } from "./deploy/command.ts";
import { connectConfigured } from "./deploy/connection.ts";
import { connectWithHardhat } from "./deploy/hardhat-connection.ts";
import { processTerminal, runCommand } from "./commands/run-command.ts";

// The server's client supports every kind of address, Hardhat's only HTTP without client certificates.
const connect = hre.globalOptions.network === "remote" ? connectConfigured : connectWithHardhat;
// Hardhat takes all arguments for itself.
await runCommand(deployCommand(processTerminal(), connect), []);
