import type { Readable, Writable } from "node:stream";
import { type EnvironmentVariables, readEnv } from "../../server/config/environment.ts";

/** What a command reads and writes. */
export interface Terminal {
  readonly variables: EnvironmentVariables;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Sets the exit code of a command that does not fail. */
  readonly exit: (code: number) => void;
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
