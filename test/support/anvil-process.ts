import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Returns the process id of the Anvil that runs for a chain folder; `undefined` when there is none. Linux only. */
export function anvilPid(chainDirectory: string): number | undefined {
  return processesIn(join(chainDirectory, "run")).find(({ name }) => name === "anvil")?.pid;
}

/** The processes whose working folder this is: an Anvil and its shells. */
function processesIn(directory: string): { pid: number; name: string }[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        if (readlinkSync(`/proc/${pid}/cwd`) !== directory) return [];
        return [{ pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, "utf8").trim() }];
      } catch {
        // Ended in the meantime, or of another user.
        return [];
      }
    });
}
