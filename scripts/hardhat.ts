import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../server/kit/program-files.ts";

/** The program `hardhat`, which uses the configuration of its working directory. */
export const HARDHAT = join(ROOT, "node_modules/hardhat/dist/src/cli.js");

/** Result of a Hardhat run. */
export interface HardhatRun {
  readonly ok: boolean;
  /** Standard output without colours. */
  readonly output: string;
}

/** Runs Hardhat in this project and prints its output. */
export function runHardhat(...args: string[]): HardhatRun {
  const { FORCE_COLOR: _, ...env } = process.env;
  const { status, stdout, error } = spawnSync(process.execPath, [HARDHAT, ...args], {
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
