import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { SURROUNDINGS } from "./surroundings.ts";

const ROOT = join(import.meta.dirname, "../..");
const HARDHAT = join(ROOT, "node_modules/hardhat/dist/src/cli.js");

/** Runs the deployment script of Hardhat on the network `remote`. */
export async function deployRemote(
  variables: EnvironmentVariables,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [HARDHAT, "run", "scripts/deploy.ts", "--network", "remote"], {
    cwd: ROOT,
    env: { ...SURROUNDINGS, NO_COLOR: "1", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}
