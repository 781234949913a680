import { type Command, CommanderError } from "commander";
import { SealbookError } from "../../server/errors.ts";

const FAILED = 1;
const BAD_USAGE = 2;

/** A failure that is reported by its message only. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode = FAILED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a command. Exit codes: 1 failure, unless the failure has its own code, 2 wrong usage. */
export async function runCommand(program: Command): Promise<void> {
  // A reader such as head can close the pipe early.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  // Prevents subcommands from ending the process with their own exit code.
  for (const command of [program, ...program.commands]) command.exitOverride();
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the message. Exit code 0 is --help.
      process.exitCode = error.exitCode === 0 ? 0 : BAD_USAGE;
    } else if (error instanceof CommandFailure || error instanceof SealbookError) {
      process.stderr.write(`${program.name()}: ${error.message}\n`);
      process.exitCode = error instanceof CommandFailure ? error.exitCode : FAILED;
    } else {
      throw error;
    }
  }
}
