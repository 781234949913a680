import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The folder that holds package.json. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const CLI = fileURLToPath(new URL("../node_modules/hardhat/dist/src/cli.js", import.meta.url));

/** What a run of Hardhat ended with. */
export interface HardhatRun {
  readonly ok: boolean;
  /** What it wrote to standard output, without colours. */
  readonly output: string;
}

/** Runs Hardhat on this project, and shows what it writes. */
export function runHardhat(...args: string[]): HardhatRun {
  const { FORCE_COLOR: _, ...env } = process.env;
  const { status, stdout, error } = spawnSync(process.execPath, [CLI, ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...env, NO_COLOR: "1" },
    stdio: ["inherit", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  process.stdout.write(stdout);
  return { ok: status === 0, output: stdout };
}
