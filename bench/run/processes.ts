import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, closeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MILLISECONDS = 20;
const START_MILLISECONDS = 60_000;
const STOP_MILLISECONDS = 120_000;
/** How much of a process's output a message quotes. */
const QUOTED = 2_000;

const running = new Set<ChildProcess>();

/** A Node process that serves something. */
export interface ServingProcess extends AsyncDisposable {
  readonly pid: number;
  /** What the pattern it was started with found in its output. */
  readonly url: string;
  /** Ends it cleanly and waits until it is gone. */
  end(): Promise<void>;
}

/** How to start a process. */
export interface ServingOptions {
  readonly script: string;
  /** For Node itself. */
  readonly flags?: readonly string[];
  readonly parameters?: readonly string[];
  /** All of its environment, besides PATH and HOME: nothing of the bench's own surroundings may configure it. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Where its output goes; to a file, so that reading it costs the bench nothing. */
  readonly log: string;
  /** Finds the address, once it serves. */
  readonly ready: RegExp;
}

/** Starts a script in a Node of its own and waits until it says where it serves. */
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

/** Ends whatever still runs, at once. */
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
