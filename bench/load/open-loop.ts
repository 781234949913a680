import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { showProgress } from "../run/progress.ts";
import { ResponseCheck, isConfirmed } from "./response-check.ts";
import { figuresOf, type LoadFigures } from "./latencies.ts";

const TICK_MILLISECONDS = 5;
/** Every nth response is checked. */
const INSPECTED = 100;
/** Maximum wait for the last responses. */
const LAST_RESPONSES_MILLISECONDS = 60_000;

/** Requests and duration of a load. */
export interface OpenLoop {
  readonly label: string;
  readonly url: string;
  /** Posts per second, independent of the responses. */
  readonly rate: number;
  readonly body: () => string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/**
 * Sends posts at a fixed rate, like independent clients. Latency counts from the time at which a post was due, so that
 * a slow generator or server cannot hide it.
 * @throws Error when a response has a status other than 201 and 202, or a connection fails
 */
export async function openLoop(load: OpenLoop): Promise<LoadFigures> {
  const { rate, warmUpSeconds, seconds } = load;
  const agent = new Agent({ keepAlive: true });
  const responses = new ResponseCheck(201, isConfirmed);
  const latencies: number[] = [];
  const start = performance.now();
  const begin = start + warmUpSeconds * 1000;
  const end = begin + seconds * 1000;
  let [open, sent, count, pending] = [0, 0, 0, 0];

  const send = (due: number): void => {
    open += 1;
    const inspected = sent % INSPECTED === 0;
    const post = request(load.url, { agent, method: "POST", headers: { "content-type": "application/json" } });
    post.on("error", (error) => responses.fail(`a connection failed: ${error.message}`));
    post.on("response", (response) => {
      const status = response.statusCode ?? 0;
      const now = performance.now();
      open -= 1;
      const counts = responses.take(status);
      const isDueInWindow = due >= begin && due < end;
      if (counts && isDueInWindow) latencies.push(now - due);
      if (counts && now >= begin && now < end) count += 1;
      if (!counts && isDueInWindow) pending += 1;
      if (!inspected && responses.fault === undefined) response.resume();
      else
        void text(response).then(
          (body) => responses.inspect(status, body),
          (error: unknown) => responses.fail(String(error)),
        );
    });
    post.end(load.body());
  };

  using progress = showProgress(load.label, warmUpSeconds + seconds, "s");
  for (let now = start; now < end && responses.fault === undefined; now = performance.now()) {
    for (let due = start + (sent * 1000) / rate; due <= now; due = start + (sent * 1000) / rate) {
      send(due);
      sent += 1;
    }
    progress.update((now - start) / 1000);
    await sleep(TICK_MILLISECONDS);
  }
  const deadline = performance.now() + LAST_RESPONSES_MILLISECONDS;
  while (open > 0 && responses.fault === undefined && performance.now() < deadline) await sleep(100);
  agent.destroy();
  if (open > 0) responses.fail(`${open} posts got no response`);
  if (responses.fault !== undefined) throw new Error(`${load.label}: ${responses.fault}`);
  return figuresOf(latencies, count, seconds, pending);
}
