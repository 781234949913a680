import { postBulks, postSingles } from "../load/posts.ts";
import type { Bench } from "../run/bench.ts";
import { MemorySamples } from "../run/memory-samples.ts";
import { showProgress } from "../run/progress.ts";
import { atMost } from "../run/result.ts";
import { startSealbook } from "../run/sealbook.ts";

const SIZE = 1_000;
const BULK_CLIENTS = 2;
const SINGLE_CLIENTS = 16;
/** Time limit of a run. */
const LIMIT_SECONDS = 7_200;
const MAX_MEGABYTES = 400;
/** Limit of flat memory use: uncollected garbage varies by more than a few megabytes. */
const MAX_LATE_GROWTH = 20;

/** Measures the memory of the server's process over a long run: mostly bulk posts, with some single posts. */
export async function memory({ report, root, quick }: Bench): Promise<void> {
  const total = quick ? 50_000 : 1_000_000;
  await using server = await startSealbook(root);
  const enough = new AbortController();
  let done = 0;
  using progress = showProgress("memory: confirmed proofs", total, "proofs");
  const count = (documents: number) => (): void => {
    done += documents;
    progress.update(done);
    if (done >= total) enough.abort();
  };
  using samples = new MemorySamples(server.pid, () => done);
  const rest = { warmUpSeconds: 0, seconds: LIMIT_SECONDS, signal: enough.signal };
  try {
    await Promise.all([
      postBulks(server.url, SIZE, {
        label: "memory: bulk posts",
        clients: BULK_CLIENTS,
        onResponse: count(SIZE),
        ...rest,
      }),
      postSingles(server.url, {
        label: "memory: single posts",
        clients: SINGLE_CLIENTS,
        onResponse: count(1),
        ...rest,
      }),
    ]);
  } finally {
    enough.abort();
  }
  if (done < total) throw new Error(`only ${done} of ${total} proofs were confirmed within ${LIMIT_SECONDS} s`);
  const { start, peakBefore, peak, end, lateGrowth } = samples.figures();
  report.add({
    section: "memory",
    name: `server process, ${total} proofs`,
    value: peak,
    unit: "MB at the peak",
    // The first start creates the demo account, and its keystore uses much memory by design.
    details: {
      "peak of the first start_MB": peakBefore,
      start_MB: start,
      end_MB: end,
      "growth in the last half_MB": lateGrowth,
    },
    targets: [atMost(peak, MAX_MEGABYTES, "MB"), atMost(lateGrowth, MAX_LATE_GROWTH, "MB growth in the last half")],
  });
}
