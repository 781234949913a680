// Deploys the contracts, takes over deployed ones, and compares them with the build and the configuration.
// npx hardhat run scripts/deploy.ts --network NAME deploys to a network of hardhat.config.ts.
import hre from "hardhat";
import { deployCommand } from "./deploy/command.ts";
import { processTerminal, runCommand } from "./proofs/run-command.ts";

const isHardhatRun = !import.meta.main;
const start = { isHardhatRun, network: hre.globalOptions.network };
// Hardhat takes all arguments for itself.
await runCommand(deployCommand(processTerminal(), start), isHardhatRun ? [] : process.argv.slice(2));
