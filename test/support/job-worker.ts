// Module of the threads in tests of worker pools.
import { threadId } from "node:worker_threads";
import { malformed, SealbookError } from "../../server/errors.ts";
import { serveJobs } from "../../server/kit/workers/reply.ts";

export const thread = serveJobs((_job: undefined) => threadId);

/** Lasts until the first number is not 0 any more; returns what it then is. */
export const held = serveJobs((gate: Int32Array<SharedArrayBuffer>) => {
  Atomics.wait(gate, 0, 0);
  return Atomics.load(gate, 0);
});

export const endless = serveJobs((_job: undefined): never => {
  for (;;);
});

export const greedy = serveJobs((_job: undefined): number => {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 1_000 }, (_, index) => index + kept.length));
});

export const refused = serveJobs((path: string): never => {
  if (path === "") throw new SealbookError("overloaded", "not now", { retryAfterSeconds: 7 });
  throw malformed(path, "is wrong");
});

export const failing = serveJobs((_job: undefined): never => {
  throw new RangeError("out of range");
});
