import { setTimeout as sleep } from "node:timers/promises";
import { latencyDetails } from "../load/latencies.ts";
import { postBulks } from "../load/posts.ts";
import type { Bench } from "../run/bench.ts";
import { atLeast } from "../run/result.ts";
import { startSealbook } from "../run/sealbook.ts";

const SIZE = 1_000;
const CLIENTS = [1, 2, 4];
const PAUSE_MILLISECONDS = 1_000;

/** Measures posts of a thousand documents each, until they are confirmed. */
export async function bulk({ report, root, seconds, warmUpSeconds }: Bench): Promise<void> {
  await using server = await startSealbook(root);
  let best = 0;
  for (const clients of CLIENTS) {
    const name = `${SIZE} documents a post, ${clients} client${clients === 1 ? "" : "s"}`;
    const figures = await postBulks(server.url, SIZE, { label: `bulk: ${name}`, clients, warmUpSeconds, seconds });
    const value = figures.perSecond * SIZE;
    best = Math.max(best, value);
    report.add({ section: "bulk", name, value, unit: "documents/s", details: latencyDetails(figures) });
    await sleep(PAUSE_MILLISECONDS);
  }
  report.add({
    section: "bulk",
    name: "best of these",
    value: best,
    unit: "documents/s",
    targets: [atLeast(best, 20_000, "documents/s")],
  });
}
