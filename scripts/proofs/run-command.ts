import { type Command, CommanderError } from "commander";
import { SealbookError } from "../../server/errors.ts";
import type { Terminal } from "./terminal.ts";

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

/**
 * Runs the command of this process.
 *
 * Exit codes: 1 failure, unless the failure has its own code, 2 wrong usage.
 */
export async function runCommand(program: Command, args = process.argv.slice(2)): Promise<void> {
  // A reader such as head can close the pipe early.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const code = await failureOf(program, args, process);
  if (code !== undefined) process.exitCode = code;
}

/**
 * Runs a command, and prints its help and its failure.
 * @returns the exit code of the failure; `undefined` when there is none
 */
export async function failureOf(
  program: Command,
  args: readonly string[],
  { stdout, stderr }: Pick<Terminal, "stdout" | "stderr">,
): Promise<number | undefined> {
  // Prevents subcommands from ending the process with their own exit code.
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    });
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    // Commander has printed the message. Exit code 0 is --help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_USAGE;
    if (!(error instanceof CommandFailure || error instanceof SealbookError)) throw error;
    stderr.write(`${program.name()}: ${error.message}\n`);
    return error instanceof CommandFailure ? error.exitCode : FAILED;
  }
  return undefined;
}
