import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
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
/** Most that a request of the well-behaved client takes, at its p99. A login checks a password of 0.3 s. */
const MAX_MILLISECONDS = { proof: 500, login: 1_000, store: 500, search: 500 };
/** Time after the attack in which all is as before. */
const RECOVERY_SECONDS = 2;
/** Duration of the measurement then. */
const AFTER_SECONDS = 3;
const MAX_MEGABYTES = 600;
/** The two clients are two addresses of loopback: neither is a proxy. A session lasts a measurement. */
const VARIABLES = { TRUSTED_PROXIES: "", SESSION_LIFETIME: "3600" };
const AMOUNTS = { proofs: 30_000, documents: 20_000, records: 100_000, transactions: 20_000 };
const QUICK_AMOUNTS = { proofs: 3_000, documents: 1_000, records: 100_000, transactions: 400 };

/** Measures a well-behaved client while one hostile client attacks, by each route in turn. */
export async function fairness({ report, root, quick, routes }: Bench): Promise<void> {
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const prepared = await prepare(root, VARIABLES, quick ? QUICK_AMOUNTS : AMOUNTS);
  report.add(resultOf("no hostile client", await attempt({ root, prepared, seconds, route: undefined })));
  const names = [...ATTACKS.keys()].filter((name) => routes.some((text) => name.includes(text)));
  for (const name of names) {
    try {
      report.add(resultOf(name, await attempt({ root, prepared, seconds, route: name })));
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
  /** After the attack. */
  readonly after?: Record<Activity, Observed>;
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
    await sleep(RECOVERY_SECONDS * 1000);
    const after = await client.observe(`${label}, after it`, AFTER_SECONDS);
    const written = /^outcomes (.*)$/m.exec(await readFile(log, "utf8"))?.[1];
    return { observed, after, outcomes: z.record(z.string(), z.number()).parse(JSON.parse(written ?? "{}")), peak };
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

function resultOf(name: string, { observed, after, outcomes, peak }: Attempted): Result {
  const measured = Object.entries({ "": observed, after_: after ?? observed });
  const figures = measured.flatMap(([when, of]) =>
    ACTIVITIES.map((activity) => ({
      when,
      activity,
      p99: p99(of[activity].latencies),
      failures: of[activity].failures,
    })),
  );
  const failures = figures.flatMap(({ when, activity, failures: reasons }) =>
    Object.entries(reasons).map(([reason, count]) => ({ reason: `${when}${activity} ${reason}`, count })),
  );
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  const tooSlow = figures.filter(({ activity, p99: milliseconds }) => milliseconds >= MAX_MILLISECONDS[activity]);
  return {
    section: "fairness",
    name,
    value: p99(observed.proof.latencies),
    unit: "ms p99 of a proof",
    details: {
      ...Object.fromEntries(
        figures.map(({ when, activity, p99: milliseconds }) => [`${when}${activity}_ms`, milliseconds]),
      ),
      peak_MB: peak,
      ...Object.fromEntries(failures.map(({ reason, count }) => [`failed: ${reason}_requests`, count])),
      ...Object.fromEntries(
        Object.entries(outcomes).map(([outcome, count]) => [`hostile: ${outcome}_requests`, count]),
      ),
    },
    targets: [
      atMost(failed, 0, "failures"),
      atMost(tooSlow.length, 0, "of eight p99 above 500 ms, of a login 1,000 ms"),
      below(peak, MAX_MEGABYTES, "MB"),
    ],
  };
}

function p99(latencies: readonly number[]): number {
  return figuresOf([...latencies], latencies.length, 1, 0).p99;
}
