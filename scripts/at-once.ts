/**
 * Runs scripts of `package.json` concurrently and fails if one of them fails. Prints the output of each script when it
 * ends.
 *
 *     node scripts/at-once.ts typecheck test:solidity
 */
import { execFile } from "node:child_process";
import { ROOT } from "./hardhat.ts";

const MAX_OUTPUT = 64 * 1024 * 1024;

function run(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(
      "npm",
      ["run", name],
      { cwd: ROOT, maxBuffer: MAX_OUTPUT, shell: process.platform === "win32" },
      (error, stdout, stderr) => {
        process.stdout.write(stdout);
        process.stderr.write(stderr);
        if (error !== null) console.error(`npm run ${name} failed.`);
        resolve(error === null);
      },
    );
  });
}

const results = await Promise.all(process.argv.slice(2).map(run));
if (results.includes(false)) process.exit(1);
