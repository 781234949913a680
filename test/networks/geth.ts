import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The version of Geth that is installed when there is none. It needs Go 1.24 or newer. */
const VERSION = "v1.16.8";
const PACKAGE = `github.com/ethereum/go-ethereum/cmd/geth@${VERSION}`;
const FOLDER = join(import.meta.dirname, `../../node_modules/.cache/geth-${VERSION}`);

/**
 * Returns Geth's program: `GETH`, the one on the path, or one that Go builds from its module proxy. The build takes
 * minutes, at the lowest priority, and happens once.
 * @throws Error that names what is missing
 */
export function gethProgram(): string {
  const { GETH } = process.env;
  if (GETH !== undefined) {
    if (runs(GETH)) return GETH;
    throw new Error(`GETH is ${GETH}, which is no program of Geth`);
  }
  if (runs("geth")) return "geth";
  const built = join(FOLDER, "geth");
  if (!existsSync(built)) build();
  return built;
}

/** Returns the version of a program of Geth. */
export function gethVersion(program: string): string {
  const { stdout } = spawnSync(program, ["version"], { encoding: "utf8" });
  return /^Version: (\S+)$/m.exec(stdout)?.[1] ?? "unknown";
}

function runs(program: string): boolean {
  return spawnSync(program, ["version"], { stdio: "ignore" }).status === 0;
}

function build(): void {
  const help = "set GETH to a program of Geth, or install Go 1.24 or newer from https://go.dev/dl";
  if (!runs("go")) throw new Error(`There is neither Geth nor Go: ${help}`);
  console.log(`Building ${PACKAGE}; this takes minutes.`);
  const { status } = spawnSync("nice", ["-n", "19", "go", "install", PACKAGE], {
    env: { ...process.env, GOBIN: FOLDER, GOFLAGS: "-p=1 -buildvcs=false" },
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`go install ${PACKAGE} failed, see above: ${help}`);
}
