import { availableParallelism, cpus, release, totalmem, type } from "node:os";

/** Where a run was made, without which its figures say nothing. */
export function machine(): object {
  return {
    started: new Date().toISOString(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
  };
}
