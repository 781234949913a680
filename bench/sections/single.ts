import { setTimeout as sleep } from "node:timers/promises";
import { Documents } from "../load/documents.ts";
import { latencyDetails, type LoadFigures } from "../load/latencies.ts";
import { openLoop } from "../load/open-loop.ts";
import { postSingles } from "../load/posts.ts";
import { attempt } from "../run/attempt.ts";
import type { Bench } from "../run/bench.ts";
import type { Report } from "../run/report.ts";
import { atLeast, atMost, type Target } from "../run/result.ts";
import { startSealbook } from "../run/sealbook.ts";

const UNIT = "proofs/s";
const PERIOD_SECONDS = 3;
/** Whole blocks are measured: all responses arrive right after a block. */
const WHOLE_BLOCKS_SECONDS = 10 * PERIOD_SECONDS;
const REGULAR_BLOCKS = { CHAIN_BLOCK_PERIOD: String(PERIOD_SECONDS) };
const CLIENTS = [1, 32, 512];
/** Enough for more than 1,000 posts a second although every post waits for a block. */
const MANY_CLIENTS = 4_500;
const OPEN_RATE = 1_200;
/** Time over which so many clients connect. */
const CONNECTING_SECONDS = 18;
/** Pause between loads, in which the server finishes the remaining requests. */
const PAUSE_MILLISECONDS = 1_000;

/** The figure that others are compared with. */
export const SINGLE_512 = "instant blocks, 512 clients";
/** The same, each post with an idempotency key. */
export const KEYED_512 = "instant blocks, 512 clients, with idempotency keys";

/** Measures posts of one document each, until they are confirmed. A quick run does not wait for regular blocks. */
export async function single(bench: Bench): Promise<void> {
  const parts = bench.quick ? [instantBlocks] : [instantBlocks, regularBlocks, manyClients, evenArrival];
  for (const part of parts) {
    await attempt(bench.report, "single", () => part(bench));
  }
}

async function instantBlocks({ report, root, seconds, warmUpSeconds }: Bench): Promise<void> {
  await using server = await startSealbook(root, { CHAIN_BLOCK_PERIOD: "0" });
  for (const clients of CLIENTS) {
    const name = `instant blocks, ${clients} client${clients === 1 ? "" : "s"}`;
    const figures = await postSingles(server.url, { label: `single: ${name}`, clients, warmUpSeconds, seconds });
    add(report, name, figures, name === SINGLE_512 ? [atLeast(figures.perSecond, 2_000, UNIT)] : []);
    await sleep(PAUSE_MILLISECONDS);
  }
  const load = { label: `single: ${KEYED_512}`, clients: 512, warmUpSeconds, seconds };
  add(report, KEYED_512, await postSingles(server.url, load, true));
}

async function regularBlocks({ report, root }: Bench): Promise<void> {
  await using server = await startSealbook(root, REGULAR_BLOCKS);
  for (const clients of CLIENTS) {
    const name = `3-second blocks, ${clients} client${clients === 1 ? "" : "s"}`;
    const load = { label: `single: ${name}`, clients, warmUpSeconds: PERIOD_SECONDS, seconds: WHOLE_BLOCKS_SECONDS };
    add(report, name, await postSingles(server.url, load));
    await sleep(PERIOD_SECONDS * 1_000 + PAUSE_MILLISECONDS);
  }
}

async function manyClients({ report, root }: Bench): Promise<void> {
  await using server = await startSealbook(root, REGULAR_BLOCKS);
  const name = `3-second blocks, ${MANY_CLIENTS} clients`;
  const load = {
    label: `single: ${name}`,
    clients: MANY_CLIENTS,
    warmUpSeconds: CONNECTING_SECONDS,
    seconds: WHOLE_BLOCKS_SECONDS,
  };
  const figures = await postSingles(server.url, load);
  add(report, name, figures, sustained(figures));
}

async function evenArrival({ report, root }: Bench): Promise<void> {
  await using server = await startSealbook(root, REGULAR_BLOCKS);
  const name = `3-second blocks, ${OPEN_RATE} posts/s arriving evenly`;
  const times = { warmUpSeconds: CONNECTING_SECONDS, seconds: WHOLE_BLOCKS_SECONDS };
  const body = new Documents().single;
  const figures = await openLoop({
    label: `single: ${name}`,
    url: `${server.url}/api/v1/proof`,
    rate: OPEN_RATE,
    body,
    ...times,
  });
  add(report, name, figures, sustained(figures));
}

function sustained({ perSecond, p99 }: LoadFigures): Target[] {
  return [atLeast(perSecond, 1_000, UNIT), atMost(p99, (PERIOD_SECONDS + 1) * 1_000, "ms p99")];
}

function add(report: Report, name: string, figures: LoadFigures, targets: Target[] = []): void {
  report.add({
    section: "single",
    name,
    value: figures.perSecond,
    unit: UNIT,
    details: latencyDetails(figures),
    targets,
  });
}
