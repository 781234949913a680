import type { Readable, Writable } from "node:stream";
import { type Command, CommanderError } from "commander";
import { type EnvironmentVariables, readEnv } from "../../server/config/environment.ts";
import { SealbookError } from "../../server/errors.ts";

/** What a command reads and writes. */
export interface Terminal {
  readonly variables: EnvironmentVariables;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Sets the exit code of a command that does not fail. */
  readonly exit: (code: number) => void;
}

/** The option of a command that prints JSON for programs. */
export interface JsonOption {
  readonly json?: true;
}

/** Returns the terminal and the variables of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  return { variables: readEnv(), stdin, stdout, stderr, exit: (code) => void (process.exitCode = code) };
}

/** Writes a line to the standard output. */
export function printLine({ stdout }: Terminal, line: string): void {
  stdout.write(`${line}\n`);
}

const FAILED = 1;
/** Exit code of wrong usage. */
export const BAD_USAGE = 2;

/** Exit code of a verdict that could not be given: nothing failed, and not everything could be checked. */
export const UNDETERMINED = 3;

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
 * @returns the exit code of the failure, 0 after the help; `undefined` when there is none
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
