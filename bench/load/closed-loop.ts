import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { showProgress } from "../run/progress.ts";
import { ResponseCheck } from "./response-check.ts";
import { figuresOf, type LoadFigures } from "./latencies.ts";

/** Longer than every measured latency: late responses must count as late. */
const TIMEOUT_SECONDS = 120;
/** More simultaneous connections overflow the accept queue of Node's listening sockets. */
const MAX_AT_ONCE = 512;
/** Larger loads connect in groups of this size, with a pause between groups: a busy server accepts with delay. */
const GROUP = 128;
const PAUSE_MILLISECONDS = 400;

/** Requests and duration of a load. */
export interface ClosedLoop {
  readonly label: string;
  readonly url: string;
  /** Clients with one connection each. A client sends its next request after the response to the previous one. */
  readonly clients: number;
  readonly method: "GET" | "POST";
  /** Returns the path of the next request, its own headers, and the body of a post. */
  readonly next: () => {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  /** Status of a counted response. */
  readonly expected: number;
  /** Checks the bodies of the first client's responses. */
  readonly check: (body: string) => boolean;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Called for every response with the expected status. */
  readonly onResponse?: () => void;
  /** Ends the load early, within a second. A caller with a signal shows the progress itself. */
  readonly signal?: AbortSignal;
}

/** Results of a load. */
export interface ClosedLoopFigures extends LoadFigures {
  /** The body of a response. */
  readonly sample: string;
}

/**
 * Runs clients against a server from this process.
 * @throws Error when a response has neither the expected status nor 202, or a connection fails
 */
export async function closedLoop(load: ClosedLoop): Promise<ClosedLoopFigures> {
  const { clients, method, next, warmUpSeconds, seconds, signal } = load;
  const responses = new ResponseCheck(load.expected, load.check);
  const latencies: number[] = [];
  const begin = performance.now() + warmUpSeconds * 1000;
  let end = begin + seconds * 1000;
  let pending = 0;
  const over = new AbortController();
  const stop = (): void => {
    end = Math.min(end, performance.now());
    over.abort();
  };
  signal?.addEventListener("abort", stop, { once: true });
  const fail = (reason: string): void => {
    responses.fail(reason);
    stop();
  };
  const take = (status: number, milliseconds: number): void => {
    const now = performance.now();
    const counts = responses.take(status);
    if (responses.fault !== undefined) return stop();
    if (now > end) return;
    if (counts) load.onResponse?.();
    if (now < begin) pending = responses.pending;
    else if (counts) latencies.push(milliseconds);
  };
  const request: autocannon.Request = {
    setupRequest(made) {
      const { headers, ...own } = next();
      return Object.assign(made, own, { headers: { ...made.headers, ...headers } });
    },
  };
  const inspected: autocannon.Request = { ...request, onResponse: (status, body) => responses.inspect(status, body) };

  const runGroup = (connections: number, isFirst: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      let setUp = 0;
      const instance = autocannon(
        {
          url: load.url,
          connections,
          method,
          headers: method === "POST" ? { "content-type": "application/json" } : {},
          requests: [request],
          duration: (end - performance.now()) / 1000,
          timeout: TIMEOUT_SECONDS,
          setupClient(client) {
            if (isFirst && setUp === 0) client.setRequests([inspected]);
            setUp += 1;
          },
        },
        (error) => (error === null ? resolve() : reject(error)),
      );
      over.signal.addEventListener("abort", () => instance.stop(), { once: true });
      instance.on("response", (_client, status, _bytes, milliseconds) => take(status, milliseconds));
      instance.on("reqError", (error: unknown) => fail(`a connection failed: ${String(error)}`));
    });

  using progress = signal === undefined ? showProgress(load.label, seconds + warmUpSeconds, "s") : undefined;
  const ticking = setInterval(() => progress?.update(warmUpSeconds + (performance.now() - begin) / 1000), 1_000);
  const groups: Promise<void>[] = [];
  const size = clients > MAX_AT_ONCE ? GROUP : MAX_AT_ONCE;
  for (let left = clients; left > 0 && !over.signal.aborted; left -= size) {
    if (groups.length > 0) await sleep(PAUSE_MILLISECONDS);
    groups.push(runGroup(Math.min(left, size), groups.length === 0));
  }
  await Promise.all(groups).finally(() => clearInterval(ticking));

  if (responses.fault !== undefined) throw new Error(`${load.label}: ${responses.fault}`);
  if (latencies.length === 0) throw new Error(`${load.label}: no response arrived in time`);
  if (responses.sample === "") throw new Error(`${load.label}: no response was inspected`);
  const figures = figuresOf(latencies, latencies.length, (end - begin) / 1000, responses.pending - pending);
  return { ...figures, sample: responses.sample };
}
