import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { failureOf, type Terminal } from "../../scripts/commands/run-command.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";

/** Runs a command in this process, to save the start of one. The environment of this process does not configure it. */
export async function runHere(
  create: (terminal: Terminal) => Command,
  variables: EnvironmentVariables,
  args: readonly string[],
  input = "",
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  try {
    let exitCode = 0;
    const exit = (code: number): void => void (exitCode = code);
    const terminal = { variables, stdin: Readable.from([input]), stdout, stderr, exit };
    const code = (await failureOf(create(terminal), args, terminal)) ?? exitCode;
    stdout.end();
    stderr.end();
    const [out, err] = await printed;
    return { code, out, err };
  } finally {
    stdout.end();
    stderr.end();
  }
}
