import { execFile } from "node:child_process";
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "../../server/kit/program-files.ts";
import { HARDHAT } from "../hardhat.ts";
import type { Mutant } from "./mutants.ts";

/** What the tests of the contracts read. Hardhat's cache is of no use elsewhere: it has absolute paths. */
const COPIED = [
  ...["contracts", "ignition", "scripts", "server", "test", "typechain-types"],
  ...["hardhat.config.ts", "package.json", "tsconfig.json"],
];
/** Each mutant changes the gas: with this test all of them would be killed, and none by the tests of behaviour. */
const GAS_SNAPSHOT = "matches the snapshot";
/** The test runners, the faster one first. */
const RUNNERS = [["mocha", "--bail"], ["solidity"]] as const;
const MINIMUM_TIMEOUT_MILLISECONDS = 60_000;
/** A mutant times out after this multiple of the time of the original. */
const TIMEOUT_FACTOR = 10;
/** Metadata at the end of the code of a contract: the hash of its sources. */
const METADATA = /a2646970667358221220[\da-f]{64}/g;

/** Result of the tests against one mutant. A mutant is equivalent when the compiler makes the same code of it. */
export type Verdict = "killed" | "timed out" | "survived" | "equivalent" | "does not compile";

interface Run {
  readonly outcome: "passed" | "failed" | "timed out";
  readonly output: string;
}

function copyProject(folder: string): void {
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

/** A copy of the project in which mutants take the place of the contracts. */
export class Workspace {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  #timeout = 0;
  #code = "";

  private constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
  }

  /**
   * Copies the project and runs its tests.
   * @param folder a path at which nothing is
   * @param signal ends the tests that run
   * @throws if the tests of the contracts fail
   */
  static async create(folder: string, signal: AbortSignal): Promise<Workspace> {
    copyProject(folder);
    const workspace = new Workspace(folder, signal);
    const begin = Date.now();
    for (const runner of RUNNERS) {
      const { outcome, output } = await workspace.#test(runner);
      if (outcome !== "passed") throw new Error(`The tests fail without a mutant: npm run test:contracts\n${output}`);
    }
    workspace.#timeout = Math.max(MINIMUM_TIMEOUT_MILLISECONDS, TIMEOUT_FACTOR * (Date.now() - begin));
    workspace.#code = workspace.#readCode();
    return workspace;
  }

  /** Copies the project for another job, without running its tests. */
  another(folder: string): Workspace {
    copyProject(folder);
    const copy = new Workspace(folder, this.#signal);
    copy.#timeout = this.#timeout;
    copy.#code = this.#code;
    return copy;
  }

  /** Runs the tests against a mutant until one fails, then restores the file. */
  async judge({ file, source }: Mutant): Promise<Verdict> {
    const path = join(this.#folder, file);
    const original = readFileSync(path);
    writeFileSync(path, source);
    try {
      for (const runner of RUNNERS) {
        const { outcome, output } = await this.#test(runner);
        if (outcome === "timed out") return outcome;
        if (outcome === "failed") return output.includes("Compilation failed") ? "does not compile" : "killed";
        if (this.#readCode() === this.#code) return "equivalent";
      }
      return "survived";
    } finally {
      writeFileSync(path, original);
    }
  }

  /** Reads the code of all contracts, which contains that of the libraries. */
  #readCode(): string {
    const files = globSync("artifacts/contracts/**/*.json", { cwd: this.#folder }).sort();
    const codes = files.map((file) => {
      const artifact: unknown = JSON.parse(readFileSync(join(this.#folder, file), "utf8"));
      const has = typeof artifact === "object" && artifact !== null && "bytecode" in artifact;
      return `${basename(file)} ${has ? String(artifact.bytecode).replaceAll(METADATA, "") : ""}`;
    });
    return codes.join("\n");
  }

  #test(runner: readonly string[]): Promise<Run> {
    const { FORCE_COLOR: _, ...env } = process.env;
    const args = [HARDHAT, "--no-typechain", "test", ...runner, "--grep-exclude", GAS_SNAPSHOT];
    const options = {
      cwd: this.#folder,
      env: { ...env, NO_COLOR: "1" },
      timeout: this.#timeout,
      killSignal: "SIGKILL",
      signal: this.#signal,
      maxBuffer: 64 * 1024 * 1024,
    } as const;
    return new Promise((resolve, reject) => {
      execFile(process.execPath, args, options, (error, stdout, stderr) => {
        const output = stdout + stderr;
        if (this.#signal.aborted) reject(new Error("Interrupted"));
        else if (error === null) resolve({ outcome: "passed", output });
        else resolve({ outcome: error.killed === true ? "timed out" : "failed", output });
      });
    });
  }
}
