import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { latencyDetails } from "../load/latencies.ts";
import { postSingles } from "../load/posts.ts";
import type { Bench } from "../run/bench.ts";
import { startServing } from "../run/processes.ts";

const SCRIPT = join(import.meta.dirname, "../baselines/naive-relayer.ts");
const CLIENTS = [32, 512];
const PAUSE_MILLISECONDS = 3_000;

/** The figure that Sealbook's is compared with. */
export const NAIVE_512 = "one transaction a post, 512 clients";

/** Measures a relayer with one transaction per post, under the same load. */
export async function naive({ report, root, seconds, warmUpSeconds }: Bench): Promise<void> {
  const directory = await mkdtemp(join(root, "naive-"));
  {
    const ready = /^listens on (\S+)$/m;
    await using server = await startServing({
      script: SCRIPT,
      parameters: [directory],
      log: join(directory, "log"),
      ready,
    });
    for (const clients of CLIENTS) {
      const name = `one transaction a post, ${clients} clients`;
      const figures = await postSingles(server.url, { label: `naive: ${name}`, clients, warmUpSeconds, seconds });
      report.add({
        section: "naive",
        name,
        value: figures.perSecond,
        unit: "proofs/s",
        details: latencyDetails(figures),
      });
      await sleep(PAUSE_MILLISECONDS);
    }
  }
  await rm(directory, { recursive: true });
}
