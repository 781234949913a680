// npx hardhat run scripts/deploy.ts --network NAME deploys to a network of hardhat.config.ts.
import hre from "hardhat";
import { deployCommand } from "./deploy/command.ts";
import { processTerminal, runCommand } from "./commands/run-command.ts";

// Hardhat takes all arguments for itself.
await runCommand(deployCommand(processTerminal(), hre.globalOptions.network ?? "default"), []);
