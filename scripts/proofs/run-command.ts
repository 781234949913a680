import { type Command, CommanderError } from "commander";
import { SealbookError } from "../../server/errors.ts";

const FAILED = 1;
const BAD_USAGE = 2;

/** A failure whose message says all that there is to say. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode = FAILED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a script's command: 1 is failure, unless it says otherwise, 2 is wrong usage. */
export async function runCommand(program: Command): Promise<void> {
  // A reader that has seen enough, such as head, is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  // A subcommand would end the process by itself, with a code of its own.
  for (const command of [program, ...program.commands]) command.exitOverride();
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what is wrong; asking for help is no error.
      process.exitCode = error.exitCode === 0 ? 0 : BAD_USAGE;
    } else if (error instanceof CommandFailure || error instanceof SealbookError) {
      process.stderr.write(`${program.name()}: ${error.message}\n`);
      process.exitCode = error instanceof CommandFailure ? error.exitCode : FAILED;
    } else {
      throw error;
    }
  }
}
