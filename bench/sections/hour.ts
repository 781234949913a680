import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { RecordClient, RecordSession } from "../../client/index.ts";
import { type Activity, hourMix } from "../load/hour-mix.ts";
import { httpRequests } from "../load/http-request.ts";
import type { Bench } from "../run/bench.ts";
import { MemorySamples } from "../run/memory-samples.ts";
import { showProgress } from "../run/progress.ts";
import { atLeast, atMost } from "../run/result.ts";
import { startSealbook } from "../run/sealbook.ts";

const SEALBOOK = join(import.meta.dirname, "../../scripts/sealbook.ts");
const CLIENTS = 64;
const HASHES = 360_000;
const QUICK_SHARE = 0.02;
/** Limit of flat memory use, as in the memory section. */
const MAX_LATE_GROWTH = 20;

/** Runs the load of an hour at full speed, with the default limits and API keys. */
export async function hour({ report, root, quick }: Bench): Promise<void> {
  const share = quick ? QUICK_SHARE : 1;
  await using server = await startSealbook(root, { API_AUTH: "apikey" });
  using request = httpRequests(server.url, { "X-API-Key": await apiKey(server.directory) }, CLIENTS);
  await using session = await RecordSession.open(
    new RecordClient(server.url, { retryForMilliseconds: 0 }),
    await server.demoAccount(),
  );
  let hashes = 0;
  const activities = hourMix(request, session, share, (count) => (hashes += count));
  const total = activities.reduce((sum, { times }) => sum + times, 0);
  using progress = showProgress("hour: requests", total, "requests");
  let done = 0;
  using samples = new MemorySamples(server.pid, () => done);
  const start = performance.now();
  const faults = await inTurn(activities, () => progress.update((done += 1)));
  const seconds = (performance.now() - start) / 1000;
  const { peak, end, lateGrowth } = samples.figures();
  const unexpected = Object.values(faults).reduce((sum, count) => sum + count, 0);
  report.add({
    section: "hour",
    name: "errors that no client caused",
    value: unexpected,
    unit: "errors",
    details: { requests: total, hashes, time_s: seconds, ...faults },
    targets: [atMost(unexpected, 0, "errors"), atLeast(hashes, HASHES * share, "hashes")],
  });
  report.add({
    section: "hour",
    name: "memory of the server's process",
    value: peak,
    unit: "MB at the peak",
    details: { end_MB: end, "growth in the last half_MB": lateGrowth },
    // Each login uses 128 MB briefly, at most two at a time: the peak includes them.
    targets: quick ? [] : [atMost(lateGrowth, MAX_LATE_GROWTH, "MB growth in the last half")],
  });
}

/**
 * Runs the activities with clients, evenly mixed: each client starts its next activity after its previous one.
 * @returns the number of unexpected outcomes, by activity and outcome
 */
async function inTurn(activities: readonly Activity[], onDone: () => void): Promise<Record<string, number>> {
  const left = activities.map((activity) => ({ activity, begun: 0 }));
  const faults: Record<string, number> = {};
  /** Returns the unfinished activity with the lowest progress. */
  const next = (): Activity | undefined => {
    let least: (typeof left)[number] | undefined;
    for (const each of left) {
      if (each.begun === each.activity.times) continue;
      if (least === undefined || each.begun / each.activity.times < least.begun / least.activity.times) least = each;
    }
    if (least !== undefined) least.begun += 1;
    return least?.activity;
  };
  const client = async (): Promise<void> => {
    for (let activity = next(); activity !== undefined; activity = next()) {
      const outcome = await activity.run();
      if (!activity.expected.includes(outcome)) {
        const fault = `${activity.name}: ${outcome}`;
        faults[fault] = (faults[fault] ?? 0) + 1;
      }
      onDone();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return faults;
}

/** Creates a key while the server runs. */
async function apiKey(directory: string): Promise<string> {
  const env = { PATH: process.env["PATH"], DATA_DIR: directory };
  const { stdout } = await promisify(execFile)(process.execPath, [SEALBOOK, "apikey", "create", "bench", "--json"], {
    env,
  });
  return z.object({ key: z.string() }).parse(JSON.parse(stdout)).key;
}
