import { SEALBOOK } from "./sealbook.ts";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { SURROUNDINGS } from "./surroundings.ts";

/** Variables with the credentials of a bucket. */
const CREDENTIALS = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

/** The exit of a script. */
export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running script that can be killed. */
export interface RunningScript {
  readonly outcome: Promise<Outcome>;
  kill(): void;
}

/** Starts `npm run journal`. No other part of this process's environment configures it. */
export function startJournalScript(variables: EnvironmentVariables, ...args: string[]): RunningScript {
  const credentials = CREDENTIALS.map((name) => [name, process.env[name]]);
  const child = spawn(process.execPath, [SEALBOOK, "journal", ...args], {
    env: { ...SURROUNDINGS, ...Object.fromEntries(credentials), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    outcome: Promise.all([code, text(child.stdout), text(child.stderr)]).then(([ended, out, err]) => ({
      code: ended,
      out,
      err,
    })),
    kill: () => void child.kill("SIGKILL"),
  };
}

export function runJournalScript(variables: EnvironmentVariables, ...args: string[]): Promise<Outcome> {
  return startJournalScript(variables, ...args).outcome;
}
