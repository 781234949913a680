import { execFileSync } from "node:child_process";
import { accessSync, constants, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { debianProgram } from "./debian-program.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The requirements of each environment, the file to install first. Slither and web3.py need older versions. */
const ENVIRONMENTS = {
  python: ["test/requirements.txt", "examples/python/requirements.txt"],
  web3: ["test/web3-requirements.txt"],
  slither: ["test/slither-requirements.txt"],
} as const;

/** A set of installed Python packages. */
export type PythonEnvironment = keyof typeof ENVIRONMENTS;

function folderOf(environment: PythonEnvironment): string {
  return join(ROOT, "node_modules/.cache", environment);
}

/**
 * Returns the path of a program from the Python packages of an environment.
 * @throws if it is missing, with the command that installs the packages
 */
export function pythonProgram(name: string, environment: PythonEnvironment = "python"): string {
  const path = join(folderOf(environment), "bin", name);
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`The tests need ${path}: install the Python packages, node test/support/python.ts`);
  }
}

/** Installs the packages of an environment, unless they are there. */
export function installPython(environment: PythonEnvironment): void {
  const files = ENVIRONMENTS[environment].map((file) => join(ROOT, file));
  const folder = folderOf(environment);
  const requirements = files.map((file) => readFileSync(file, "utf8")).join("");
  // Written last.
  const installed = join(folder, "installed.txt");
  try {
    if (readFileSync(installed, "utf8") === requirements) return;
  } catch {
    // The first time.
  }
  rmSync(folder, { recursive: true, force: true });
  const run = (program: string, ...args: string[]): void => {
    execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  };
  run(debianProgram("python3", "python3-venv"), "-m", "venv", folder);
  run(join(folder, "bin/pip"), "install", "--quiet", "--disable-pip-version-check", "-r", files[0] ?? "");
  writeFileSync(installed, requirements);
}

if (import.meta.main) for (const environment of ["python", "web3"] as const) installPython(environment);
