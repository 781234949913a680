import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ServerOverrides } from "../../server/composition/context.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { eventually } from "./eventually.ts";
import { putKey } from "./journal-key.ts";
import { SEALBOOK } from "./sealbook.ts";
import type { Settings } from "./settings.ts";
import { secretWatch } from "./secrets/watch.ts";
import { clientOf, demoAccount, type TestServer } from "./server.ts";
import { SURROUNDINGS } from "./surroundings.ts";

const MAIN_WITH_OVERRIDES = join(import.meta.dirname, "server-main.ts");

/** Replacements for a server in a separate process: those that are numbers. */
export type ProcessOverrides = {
  readonly [Name in keyof ServerOverrides as Extract<Name, "keystoreRounds" | `${string}Milliseconds`>]?: number;
} & { readonly settings?: Settings };

/** The server as a separate process that can be killed. */
export interface ServerProcess extends Pick<TestServer, "url" | "demo" | "call" | "login" | "get" | "post"> {
  readonly pid: number;
  readonly chainUrl: string;
  /** Returns its whole output so far, of both streams. */
  output(): string;
  /** Ends it with a signal and waits for its exit. */
  end(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): Promise<{ code: number | null; signal: string | null }>;
  /** Stops the process, and waits until it is stopped. */
  pause(): Promise<void>;
  resume(): void;
}

function launch(
  directory: string,
  variables: EnvironmentVariables,
  overrides?: ProcessOverrides,
): { child: ChildProcess; output: () => string } {
  const program = overrides === undefined ? [SEALBOOK, "start"] : [MAIN_WITH_OVERRIDES, JSON.stringify(overrides)];
  const child = spawn(process.execPath, program, {
    // The environment of the tests must not configure the server.
    env: {
      ...SURROUNDINGS,
      PORT: "0",
      DATA_DIR: directory,
      ...(variables.RPC_URL === undefined ? { CHAIN_PORT: "0" } : {}),
      ...variables,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  secretWatch.configured(variables);
  secretWatch.process(() => output);
  return { child, output: () => output };
}

/**
 * Starts the server and waits until it listens.
 * @param overrides Replacements; without, the program is the one of `npm start`, with its real cost of passwords
 */
export async function startProcess(
  directory: string,
  variables: EnvironmentVariables = {},
  overrides?: ProcessOverrides,
): Promise<ServerProcess> {
  if (variables.DATABASE_URL !== undefined) await putKey(directory);
  const { child, output } = launch(directory, variables, overrides);
  const exited = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const line = /Sealbook listens on ([^\s"]+)/.exec(output());
      if (line?.[1] !== undefined) resolve(line[1]);
    };
    child.stdout?.on("data", look);
    exited.then(([code]) => reject(new Error(`the server ended with ${code}: ${output()}`)), reject);
  });
  secretWatch.keeps(directory);
  return Object.assign(
    clientOf(url, () => demoAccount(directory)),
    {
      pid: child.pid ?? 0,
      chainUrl: /Embedded chain: ([^\s"]+)/.exec(output())?.[1] ?? "",
      output,
      async pause() {
        child.kill("SIGSTOP");
        await eventually(async () => {
          const state = execFileSync("ps", ["-o", "state=", "-p", String(child.pid)], { encoding: "utf8" });
          if (!state.startsWith("T")) throw new Error(`the server does not halt: ${state}`);
        });
      },
      resume: () => void child.kill("SIGCONT"),
      async end(signal: "SIGINT" | "SIGTERM" | "SIGKILL") {
        child.kill(signal);
        const [code, by] = await exited;
        return { code, signal: by };
      },
    },
  );
}

/** Runs a server that is expected to fail at the start. */
export async function failToStart(
  directory: string,
  variables: EnvironmentVariables,
): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch(directory, variables);
  const timer = setTimeout(() => child.kill("SIGKILL"), 300_000);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code, output: output() };
}
