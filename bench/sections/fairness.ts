import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type Prepared, prepare, writeArsenal } from "../hostile/arsenal.ts";
import { ATTACKS } from "../hostile/attacks.ts";
import { ACTIVITIES, type Activity, type Observed, WellBehaved } from "../load/well-behaved.ts";
import { figuresOf } from "../load/latencies.ts";
import type { Bench } from "../run/bench.ts";
import { MemorySamples } from "../run/memory-samples.ts";
import { startServing } from "../run/processes.ts";
import { atMost, below, type Result } from "../run/result.ts";
import { type Sealbook, startSealbook } from "../run/sealbook.ts";

const HOSTILE = join(import.meta.dirname, "../hostile/main.ts");
/** Enough for 60 logins. */
const SECONDS = 30;
const QUICK_SECONDS = 3;
const WARM_UP_SECONDS = 3;
/** Time between the begin of an attack and that of the measurement. */
const LEAD_SECONDS = 2;
/** Routes between two measurements without a hostile client. */
const ROUTES_PER_REFERENCE = 12;
const MAX_RATIO = 3;
const MAX_MEGABYTES = 600;
/** The two clients are two addresses of loopback: neither is a proxy. A session lasts a measurement. */
const VARIABLES = { TRUSTED_PROXIES: "", SESSION_LIFETIME: "3600" };
const AMOUNTS = { proofs: 30_000, documents: 20_000, records: 100_000, transactions: 20_000 };
const QUICK_AMOUNTS = { proofs: 3_000, documents: 1_000, records: 100_000, transactions: 400 };

type Latencies = Record<Activity, number[]>;

/** Measures a well-behaved client while one hostile client attacks, by each route in turn. */
export async function fairness({ report, root, quick, routes }: Bench): Promise<void> {
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const prepared = await prepare(root, VARIABLES, quick ? QUICK_AMOUNTS : AMOUNTS);
  const usual: Latencies = { proof: [], login: [], store: [], search: [] };
  const names = [...ATTACKS.keys()].filter((name) => routes.some((text) => name.includes(text)));
  for (const [index, name] of names.entries()) {
    if (index % ROUTES_PER_REFERENCE === 0) {
      const { observed, peak } = await attempt({ root, prepared, seconds, route: undefined });
      for (const activity of ACTIVITIES) usual[activity].push(...observed[activity].latencies);
      const name = "no hostile client, p99 of a login";
      const details = { ...p99s(usual), peak_MB: peak };
      report.add({ section: "fairness", name, value: p99(usual.login), unit: "ms", details });
    }
    try {
      report.add(resultOf(name, usual, await attempt({ root, prepared, seconds, route: name })));
    } catch (error) {
      // The next route gets a server of its own.
      process.exitCode = 1;
      report.fail("fairness", `${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

interface Attempt {
  readonly root: string;
  readonly prepared: Prepared;
  readonly seconds: number;
  /** The name of the attack; without it there is no hostile client. */
  readonly route: string | undefined;
}

interface Attempted {
  readonly observed: Record<Activity, Observed>;
  /** How the requests of the hostile client ended. */
  readonly outcomes: Record<string, number>;
  /** Resident memory of the server's process, in megabytes. */
  readonly peak: number;
}

/** Observes the well-behaved client at a new server, beside a hostile one. */
async function attempt({ root, prepared, seconds, route }: Attempt): Promise<Attempted> {
  await using server = await startSealbook(root, VARIABLES, prepared.folder);
  try {
    using client = await WellBehaved.open(server.url, await server.demoAccount(), WARM_UP_SECONDS);
    using samples = new MemorySamples(server.pid, () => 0);
    const label = `fairness: ${route ?? "no hostile client"}`;
    if (route === undefined) {
      const observed = await client.observe(label, seconds);
      return { observed, outcomes: {}, peak: samples.figures().peak };
    }
    const log = join(server.directory, "hostile.log");
    const hostile = await startHostile(server, prepared, route, log);
    await sleep(LEAD_SECONDS * 1000);
    const observed = await client.observe(label, seconds);
    const { peak } = samples.figures();
    await hostile.end();
    const written = /^outcomes (.*)$/m.exec(await readFile(log, "utf8"))?.[1];
    return { observed, outcomes: z.record(z.string(), z.number()).parse(JSON.parse(written ?? "{}")), peak };
  } finally {
    // A clean end would first do all that the hostile client has asked for.
    process.kill(server.pid, "SIGKILL");
  }
}

async function startHostile({ url, chainUrl, directory }: Sealbook, prepared: Prepared, route: string, log: string) {
  const arsenal = join(directory, "arsenal.json");
  await writeArsenal(arsenal, { ...prepared.arsenal, url, chainUrl });
  return startServing({ script: HOSTILE, parameters: [route, arsenal], log, ready: /^attacks (\S+)/m });
}

function resultOf(name: string, usual: Latencies, { observed, outcomes, peak }: Attempted): Result {
  const disturbed = Object.fromEntries(ACTIVITIES.map((activity) => [activity, observed[activity].latencies]));
  const ratios = ACTIVITIES.map((activity) => p99(observed[activity].latencies) / p99(usual[activity]));
  const worst = Math.max(...ratios);
  const failures = ACTIVITIES.flatMap((activity) =>
    Object.entries(observed[activity].failures).map(([reason, count]) => ({ reason: `${activity} ${reason}`, count })),
  );
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  return {
    section: "fairness",
    name,
    value: worst,
    unit: "times the usual p99 at worst",
    details: {
      ...p99s(disturbed),
      ...Object.fromEntries(ACTIVITIES.map((activity, index) => [`${activity}_times`, ratios[index] ?? Number.NaN])),
      peak_MB: peak,
      ...Object.fromEntries(failures.map(({ reason, count }) => [`failed: ${reason}_requests`, count])),
      ...Object.fromEntries(
        Object.entries(outcomes).map(([outcome, count]) => [`hostile: ${outcome}_requests`, count]),
      ),
    },
    targets: [below(worst, MAX_RATIO, "times"), below(peak, MAX_MEGABYTES, "MB"), atMost(failed, 0, "failures")],
  };
}

function p99s(latencies: Readonly<Record<string, number[]>>): Record<string, number> {
  return Object.fromEntries(Object.entries(latencies).map(([activity, all]) => [`${activity}_ms`, p99(all)]));
}

function p99(latencies: readonly number[]): number {
  return figuresOf([...latencies], latencies.length, 1, 0).p99;
}
