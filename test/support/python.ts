import { execFileSync } from "node:child_process";
import { accessSync, constants, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { debianProgram } from "./debian-program.ts";

const ROOT = join(import.meta.dirname, "../..");
const REQUIREMENTS = join(ROOT, "test/requirements.txt");
const INCLUDED = join(ROOT, "examples/python/requirements.txt");
const FOLDER = join(ROOT, "node_modules/.cache/python");
/** The installed requirements; written last. */
const INSTALLED = join(FOLDER, "installed.txt");

/**
 * Returns the path of a program from the Python packages of `test/requirements.txt`.
 * @throws if it is missing, with the command that installs the packages
 */
export function pythonProgram(name: string): string {
  const path = join(FOLDER, "bin", name);
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`The tests need ${path}: install the Python packages, node test/support/python.ts`);
  }
}

/** Installs the packages into an environment of their own, unless they are there. */
function install(): void {
  const requirements = [REQUIREMENTS, INCLUDED].map((file) => readFileSync(file, "utf8")).join("");
  try {
    if (readFileSync(INSTALLED, "utf8") === requirements) return;
  } catch {
    // The first time.
  }
  rmSync(FOLDER, { recursive: true, force: true });
  const run = (program: string, ...args: string[]): void => {
    execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  };
  run(debianProgram("python3", "python3-venv"), "-m", "venv", FOLDER);
  run(join(FOLDER, "bin/pip"), "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS);
  writeFileSync(INSTALLED, requirements);
}

if (import.meta.main) install();
