import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { ParsedJson } from "../support/parsed-json.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

/** How a script ended. */
export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A script that runs. */
export interface RunningScript {
  interrupt(): void;
  /** The files that it has open now. */
  opened(): Promise<string[]>;
  readonly outcome: Promise<Outcome>;
}

/** Variables that a script is given. */
type Variables = Readonly<Record<string, string>>;

/** Starts a command in a folder. Nothing of this process's environment configures it. */
export function startScript(name: string, directory: string, ...args: string[]): RunningScript {
  return startWith({}, name, directory, args);
}

function startWith(
  variables: Variables,
  name: string,
  directory: string,
  args: readonly string[],
  input = "",
): RunningScript {
  const child = spawn(process.execPath, [SEALBOOK, name, ...args], {
    cwd: directory,
    env: { ...SURROUNDINGS, ...variables },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined).end(input);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const outcome = Promise.all([code, text(child.stdout), text(child.stderr)]);
  return {
    interrupt: () => void child.kill("SIGINT"),
    async opened() {
      const descriptors = `/proc/${child.pid}/fd`;
      return Promise.all(
        (await readdir(descriptors)).map((descriptor) => readlink(join(descriptors, descriptor)).catch(() => "")),
      );
    },
    outcome: outcome.then(([code, out, err]) => ({ code, out, err })),
  };
}

/** Runs a script to its end. */
export function runScript(name: string, directory: string, ...args: string[]): Promise<Outcome> {
  return startScript(name, directory, ...args).outcome;
}

/** Runs a script to its end, with these variables. */
export function runScriptWith(
  variables: Variables,
  name: string,
  directory: string,
  ...args: string[]
): Promise<Outcome> {
  return startWith(variables, name, directory, args).outcome;
}

/** Runs a script to its end, with this standard input. */
export function runScriptOn(input: string, name: string, directory: string, ...args: string[]): Promise<Outcome> {
  return startWith({}, name, directory, args, input).outcome;
}

/** Writes files by their relative paths. */
export async function writeFiles(
  directory: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
}

/** Reads JSON of a known shape. */
export async function readJson(path: string): Promise<ParsedJson> {
  return JSON.parse(await readFile(path, "utf8"));
}
