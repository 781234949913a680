import { ProofClient } from "../../client/index.ts";
import { compareAll, recordDocuments } from "../load/restored.ts";
import type { Bench } from "../run/bench.ts";
import { MemorySamples } from "../run/memory-samples.ts";
import { showProgress } from "../run/progress.ts";
import { atLeast, atMost } from "../run/result.ts";
import { startSealbook } from "../run/sealbook.ts";

const MIN_ROWS = 10_000;
/** Limit of flat memory use: the growth of a server under any load. */
const MAX_GROWTH = 150;
const MAX_LATE_GROWTH = 20;

/** Measures the comparison of restored documents with their records, all in one call, in random order. */
export async function recovery({ report, root, quick }: Bench): Promise<void> {
  const count = quick ? 50_000 : 1_000_000;
  await using server = await startSealbook(root);
  {
    using progress = showProgress("recovery: recording documents", count, "documents");
    await recordDocuments(server.url, count, (done) => progress.update(done));
  }
  let done = 0;
  using progress = showProgress("recovery: comparing them", count, "rows");
  using samples = new MemorySamples(server.pid, () => done);
  const begin = performance.now();
  await compareAll(new ProofClient(server.url), count, () => progress.update((done += 1)));
  const rate = count / ((performance.now() - begin) / 1000);
  const { start, peak, lateGrowth } = samples.figures();
  report.add({
    section: "recovery",
    name: `${count} rows in one call`,
    value: rate,
    unit: "rows/s",
    details: { start_MB: start, peak_MB: peak, "growth in the last half_MB": lateGrowth },
    targets: [
      atLeast(rate, MIN_ROWS, "rows/s"),
      atMost(peak - start, MAX_GROWTH, "MB more at the peak"),
      atMost(lateGrowth, MAX_LATE_GROWTH, "MB growth in the last half"),
    ],
  });
}
