// Analyses the contracts with Slither. slither.config.json names the detectors that are left out.
import { spawnSync } from "node:child_process";
import { installPython, pythonProgram } from "./python.ts";
import { runHardhat } from "../../scripts/hardhat.ts";
import { ROOT } from "../../server/kit/program-files.ts";

installPython("slither");
// Slither reads the output of all runs of the compiler that are there: one is left after this.
if (!runHardhat("build", "--force", "--quiet", "--no-tests").ok) process.exit(1);
const { status, error } = spawnSync(pythonProgram("slither", "slither"), ["."], { cwd: ROOT, stdio: "inherit" });
if (error !== undefined) throw error;
process.exitCode = status ?? 1;
