import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Ends an Anvil that an earlier process left in this folder. This process holds the folder's lock, so that Anvil has no
 * owner. The command line is compared first, because the process id may belong to another process by now.
 */
export function endStaleAnvil(runDirectory: string): void {
  const pidFile = join(runDirectory, "anvil.pid");
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8").trim());
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  if (!commandLine(pid).includes(runDirectory)) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended in the meantime.
  }
}

function commandLine(pid: number): string {
  try {
    if (existsSync("/proc/self/cmdline")) return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return execFileSync("ps", ["-o", "args=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return "";
  }
}
