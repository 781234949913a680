import { availableParallelism, cpus, release, totalmem, type } from "node:os";

/** Describes the machine of a run; figures are only comparable with it. */
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
