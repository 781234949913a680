import { setTimeout as sleep } from "node:timers/promises";
import { Documents } from "../load/documents.ts";
import { latencyDetails } from "../load/latencies.ts";
import { openLoop } from "../load/open-loop.ts";
import { postSingles } from "../load/posts.ts";
import type { Bench } from "../run/bench.ts";
import { atLeast, atMost } from "../run/result.ts";
import { startSealbook } from "../run/sealbook.ts";

const UNIT = "proofs/s";
const PERIOD_SECONDS = 3;
const CLIENTS = [1, 32, 512];
/** Enough that waiting for a block alone does not keep them below 1,000 a second. */
const MANY_CLIENTS = 4_500;
const OPEN_RATE = 1_200;
/** So many connections at once overflow the queue of a listening socket; the rest try again after seconds. */
const CONNECTING_SECONDS = 15;
/** What a load leaves unanswered when it ends is done before the next one begins. */
const SETTLE_MILLISECONDS = 1_000;

/** The figure that others are compared with. */
export const SINGLE_512 = "instant blocks, 512 clients";

/** Posts of one document each, until they are confirmed. */
export async function single(bench: Bench): Promise<void> {
  await instantBlocks(bench);
  await regularBlocks(bench);
}

async function instantBlocks({ report, root, seconds, warmUpSeconds }: Bench): Promise<void> {
  await using server = await startSealbook(root, { CHAIN_BLOCK_PERIOD: "0" });
  for (const clients of CLIENTS) {
    const name = `instant blocks, ${clients} client${clients === 1 ? "" : "s"}`;
    const figures = await postSingles(server.url, { label: `single: ${name}`, clients, warmUpSeconds, seconds });
    const targets = name === SINGLE_512 ? [atLeast(figures.perSecond, 2_000, UNIT)] : [];
    report.add({ section: "single", name, value: figures.perSecond, unit: UNIT, details: latencyDetails(figures), targets });
    await sleep(SETTLE_MILLISECONDS);
  }
}

async function regularBlocks({ report, root, quick }: Bench): Promise<void> {
  await using server = await startSealbook(root, { CHAIN_BLOCK_PERIOD: String(PERIOD_SECONDS) });
  // Whole numbers of blocks: all answers come right after one.
  const seconds = (quick ? 3 : 10) * PERIOD_SECONDS;
  const add = (name: string, figures: Awaited<ReturnType<typeof openLoop>>, isSustained: boolean): void => {
    const targets = isSustained
      ? [atLeast(figures.perSecond, 1_000, UNIT), atMost(figures.p99, (PERIOD_SECONDS + 1) * 1_000, "ms p99")]
      : [];
    report.add({ section: "single", name, value: figures.perSecond, unit: UNIT, details: latencyDetails(figures), targets });
  };
  for (const clients of [...CLIENTS, MANY_CLIENTS]) {
    const name = `3-second blocks, ${clients} client${clients === 1 ? "" : "s"}`;
    const isSustained = clients === MANY_CLIENTS;
    const warmUpSeconds = isSustained ? CONNECTING_SECONDS : PERIOD_SECONDS;
    add(name, await postSingles(server.url, { label: `single: ${name}`, clients, warmUpSeconds, seconds }), isSustained);
    await sleep(PERIOD_SECONDS * 1_000 + SETTLE_MILLISECONDS);
  }
  const name = `3-second blocks, ${OPEN_RATE} posts/s arriving evenly`;
  const documents = new Documents();
  const url = `${server.url}/api/v1/proof`;
  const load = { label: `single: ${name}`, url, rate: OPEN_RATE, body: documents.single, warmUpSeconds: CONNECTING_SECONDS, seconds };
  add(name, await openLoop(load), true);
}
