import { setTimeout as sleep } from "node:timers/promises";
import { showProgress } from "../run/progress.ts";
import { Documents } from "./documents.ts";
import { httpRequests, type Outcome } from "./http-request.ts";
import { isConfirmed } from "./response-check.ts";
import { RecordsApi } from "./records-api.ts";

/** The address that the client connects from. */
const SOURCE = "127.0.0.3";
/** Requests per second, evenly spaced. Searches and stores stay within the default rates of an account. */
const RATES = { proof: 20, login: 2, store: 8, search: 8 };
const TICK_MILLISECONDS = 2;
/** A request without success within this time counts as one that took it. */
const LIMIT_MILLISECONDS = 10_000;
const SEARCHED = "station-17";
const SEARCH_LIMIT = 10;

/** The activities of the client. */
export type Activity = keyof typeof RATES;
export const ACTIVITIES: readonly Activity[] = ["proof", "login", "store", "search"];

/** The requests of one activity. */
export interface Observed {
  /** In milliseconds, from the time at which each request was due. */
  readonly latencies: number[];
  /** Requests without success, by the reason. */
  readonly failures: Record<string, number>;
}

/** Credentials of the client's account. */
export interface Credentials {
  readonly login: string;
  readonly password: string;
}

/**
 * A client that does what it is meant to, at a modest rate: posts documents, logs in, stores and searches records.
 * Requests are due at fixed times, whatever happens to the previous ones, so that a pause of the server delays all that
 * fall into it. Each login has a new connection; the other requests share a few.
 */
export class WellBehaved implements Disposable {
  readonly #credentials: Credentials;
  readonly #api: RecordsApi;
  readonly #documents = new Documents();
  readonly #kept: ReturnType<typeof httpRequests>;
  readonly #fresh: ReturnType<typeof httpRequests>;

  private constructor(url: string, credentials: Credentials) {
    this.#credentials = credentials;
    this.#api = new RecordsApi(url);
    this.#kept = httpRequests(url, {}, Infinity, { localAddress: SOURCE });
    this.#fresh = httpRequests(url, {}, Infinity, { localAddress: SOURCE, keepAlive: false });
  }

  /** Opens the session of the records, and makes the requests of some seconds, for which code is compiled. */
  static async open(url: string, credentials: Credentials, warmUpSeconds: number): Promise<WellBehaved> {
    const client = new WellBehaved(url, credentials);
    await client.#api.login(credentials);
    const observed = await client.observe("fairness: warm-up", warmUpSeconds);
    const failures = ACTIVITIES.flatMap((activity) => Object.keys(observed[activity].failures));
    if (failures.length > 0) throw new Error(`requests of a well-behaved client failed: ${failures.join(", ")}`);
    return client;
  }

  /** Makes the requests of some seconds, and waits for their responses. */
  async observe(label: string, seconds: number): Promise<Record<Activity, Observed>> {
    using progress = showProgress(label, seconds, "s");
    const start = performance.now();
    const observed = {
      proof: empty(),
      login: empty(),
      store: empty(),
      search: empty(),
    } satisfies Record<Activity, Observed>;
    const waiting = new Set<Promise<void>>();
    const sent = { proof: 0, login: 0, store: 0, search: 0 };
    for (let now = start; now < start + seconds * 1000; now = performance.now()) {
      for (const activity of ACTIVITIES) {
        const dueAt = (count: number): number => start + (count * 1000) / RATES[activity];
        for (; dueAt(sent[activity]) <= now; sent[activity] += 1) {
          const request = this.#observe(activity, dueAt(sent[activity]), observed[activity]);
          waiting.add(request);
          void request.finally(() => waiting.delete(request));
        }
      }
      progress.update((now - start) / 1000);
      await sleep(TICK_MILLISECONDS);
    }
    await Promise.all(waiting);
    return observed;
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]();
    this.#fresh[Symbol.dispose]();
  }

  async #observe(activity: Activity, due: number, { latencies, failures }: Observed): Promise<void> {
    const deadline = new AbortController();
    const late = sleep(due + LIMIT_MILLISECONDS - performance.now(), "late", { signal: deadline.signal }).catch(
      () => "",
    );
    const outcome = await Promise.race([this.#run(activity), late]);
    deadline.abort();
    if (outcome !== "") failures[outcome] = (failures[outcome] ?? 0) + 1;
    latencies.push(outcome === "" ? performance.now() - due : LIMIT_MILLISECONDS);
  }

  /** @returns the reason of a failure; "" for a success */
  async #run(activity: Activity): Promise<string> {
    switch (activity) {
      case "proof": {
        const { outcome, body } = await this.#kept("POST", "/api/v1/proof", this.#documents.single());
        return failureOf(outcome, outcome === 201 && isConfirmed(body));
      }
      case "login": {
        const call = { method: "GET", route: "/api/admin/auth", credentials: this.#credentials };
        const { outcome } = await this.#fresh("POST", "/api", JSON.stringify(call));
        return failureOf(outcome, outcome === 200);
      }
      case "store":
        return this.#call(this.#api.nextStore());
      case "search":
        return this.#call(this.#api.search(SEARCHED, SEARCH_LIMIT));
    }
  }

  async #call({ path, body }: { path: string; body: string }): Promise<string> {
    const { outcome } = await this.#kept("POST", path, body);
    return failureOf(outcome, outcome === 200);
  }
}

function empty(): Observed {
  return { latencies: [], failures: {} };
}

function failureOf(outcome: Outcome, succeeded: boolean): string {
  return succeeded ? "" : String(outcome);
}
