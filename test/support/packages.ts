import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../server/kit/program-files.ts";

const run = promisify(execFile);

/** npm as the machine has it set up, with this project's Node, but not as part of the npm that runs these tests. */
export const NPM_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_(?:package|lifecycle|command|config_local_prefix)|INIT_CWD)/.test(name),
    ),
  ),
  PATH: `${join(ROOT, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
};

/**
 * Packs a package of this repository.
 * @returns the path of its archive
 */
export async function pack(name: string, folder: string, variables: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await run("npm", ["run", "--silent", "pack", "--", name, "--out", folder], {
    cwd: ROOT,
    env: { ...NPM_ENVIRONMENT, ...variables },
  });
  return stdout.trim().split("\n").at(-1) ?? "";
}

/** Makes an empty project and installs packages into it, without their install scripts. */
export async function installPackages(project: string, packages: readonly string[]): Promise<void> {
  await mkdir(project, { recursive: true });
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...options, ...packages], { cwd: project, env: NPM_ENVIRONMENT });
}
