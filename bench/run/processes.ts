import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, closeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MILLISECONDS = 20;
const START_MILLISECONDS = 60_000;
const STOP_MILLISECONDS = 120_000;
/** Characters of a process's output that a message quotes. */
const QUOTED = 2_000;

const running = new Set<ChildProcess>();

/** A Node process that serves requests. */
export interface ServingProcess extends AsyncDisposable {
  readonly pid: number;
  /** The address that the `ready` pattern matched in its output. */
  readonly url: string;
  /** Ends the process cleanly and waits for its exit. */
  end(): Promise<void>;
}

/** Options for starting a process. */
export interface ServingOptions {
  readonly script: string;
  /** Flags of Node itself. */
  readonly flags?: readonly string[];
  readonly parameters?: readonly string[];
  /** The whole environment besides PATH and HOME: the environment of the benchmark must not configure the process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** File of its output: reading the output would use time of the benchmark. */
  readonly log: string;
  /** Matches the address in the output of a ready process. */
  readonly ready: RegExp;
}

/** Starts a script in a separate Node process and waits until its output contains its address. */
export async function startServing({
  script,
  flags = [],
  parameters = [],
  variables = {},
  log,
  ready,
}: ServingOptions): Promise<ServingProcess> {
  const output = openSync(log, "w");
  const child = spawn(process.execPath, [...flags, script, ...parameters], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...variables },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  running.add(child);
  const exited = once(child, "exit").finally(() => running.delete(child));
  const end = (): Promise<void> => endProcess(child, exited);
  for (const deadline = Date.now() + START_MILLISECONDS; ; await sleep(POLL_MILLISECONDS)) {
    const text = await readFile(log, "utf8");
    const url = ready.exec(text)?.[1];
    if (url !== undefined) return { pid: child.pid ?? 0, url, end, [Symbol.asyncDispose]: end };
    if (child.exitCode === null && child.signalCode === null && Date.now() < deadline) continue;
    await end();
    throw new Error(`${script} did not start: ${text.slice(-QUOTED)}`);
  }
}

/** Kills all running processes. */
export async function killAll(): Promise<void> {
  await Promise.all([...running].map(async (child) => child.kill("SIGKILL") && once(child, "exit")));
}

async function endProcess(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (!running.has(child)) return;
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MILLISECONDS);
  child.kill("SIGTERM");
  await exited;
  clearTimeout(timer);
}
