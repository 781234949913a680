import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const GRACE_MILLISECONDS = 5_000;
/** Files in memory, on Linux. */
const MEMORY = "/dev/shm";
const MEMORY_BYTES = 4 * 2 ** 30;

/** Result of a program. */
export interface Ended {
  readonly ok: boolean;
  readonly output: string;
}

/** The processes and files of one run, which all end with it. */
export class Processes {
  /** Temporary folder of the run. Everything that a test creates is below it. */
  readonly folder: string;
  readonly #children = new Set<ChildProcess>();
  #isClosed = false;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Processes> {
    // A short name: paths of sockets have at most 107 characters.
    const folder = await mkdtemp(join(parentFolder(), "sealbook-"));
    // PostgreSQL may run as another user, who has to reach its files.
    await chmod(folder, 0o711);
    return new Processes(folder);
  }

  /**
   * Runs a program in a process group of its own.
   * @param shown Whether its output is also printed at once
   */
  async run(program: string, args: readonly string[], shown: boolean): Promise<Ended> {
    // An interrupted run starts nothing more: its process is about to end.
    if (this.#isClosed) return new Promise(() => undefined);
    const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    this.#children.add(child);
    const pieces: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (piece: Buffer) => {
        pieces.push(piece);
        if (shown) process.stdout.write(piece);
      });
    }
    const ok = await new Promise<boolean>((resolve, reject) => {
      child.once("error", reject).once("close", (code) => resolve(code === 0));
    });
    this.#children.delete(child);
    return { ok, output: Buffer.concat(pieces).toString() };
  }

  /**
   * Ends the processes that still run and removes the folder.
   * @returns Commands of the processes that had not ended by themselves
   */
  async close(): Promise<string[]> {
    this.#isClosed = true;
    for (const { pid } of this.#children) if (pid !== undefined) kill(-pid);
    const deadline = Date.now() + GRACE_MILLISECONDS;
    while (this.#left().length > 0 && Date.now() < deadline) await sleep(100);
    const left = this.#left();
    for (const { pid } of left) kill(pid);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    return left.map(({ command }) => command);
  }

  /** Finds the processes with the folder in their command or environment; none on systems without `/proc`. */
  #left(): { pid: number; command: string }[] {
    return readFolder("/proc").flatMap((name) => {
      const pid = Number(name);
      if (!Number.isInteger(pid) || pid === process.pid) return [];
      const command = readFile(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
      const isOurs = [command, readFile(`/proc/${pid}/environ`)].some((text) => text.includes(this.folder));
      return isOurs ? [{ pid, command }] : [];
    });
  }
}

/** Ends a process, or with a negative number a process group, unless it has ended meanwhile. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/**
 * Returns the folder for temporary files: the one of `TMPDIR`, or else one in memory, if there is one for programs too.
 * The tests write durably all the time, which takes a fifth of their time on a disk.
 */
function parentFolder(): string {
  if (process.env["TMPDIR"] !== undefined) return tmpdir();
  const mounted = readFile("/proc/mounts")
    .split("\n")
    .find((line) => line.split(" ")[1] === MEMORY);
  if (mounted === undefined || mounted.includes("noexec")) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > MEMORY_BYTES ? MEMORY : tmpdir();
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
