import { SealbookError } from "../../server/errors.ts";
import { CommandFailure } from "../commands/run-command.ts";

/** Runs a task, and prints a failure without Hardhat's report of a crash. */
export async function printingFailures(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CommandFailure || error instanceof SealbookError)) throw error;
    console.error(`sealbook: ${error.message}`);
    process.exitCode = error instanceof CommandFailure ? error.exitCode : 1;
  }
}
