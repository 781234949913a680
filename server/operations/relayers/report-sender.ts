import { json } from "node:stream/consumers";
import { reasonOf } from "../../errors.ts";
import { addressOfLeader, callLeader, type Peers } from "../../http/forwarding/relayer-call.ts";
import { every, type Interval } from "../../kit/time.ts";
import { isResponseTo, newReport, REPORT_PATH, type RelayerReport, ReportResponse } from "./report.ts";

export interface ReportSenderDeps {
  readonly peers: Peers;
  readonly intervalMilliseconds: number;
  readonly content: () => Omit<RelayerReport, "number" | "relayer">;
  /** Called with the subject of each finding that is over. */
  readonly onClosed: (subject: string) => void;
  /** Called when the leader does not get a report, once until it gets one. */
  readonly onFailure: (error: unknown) => void;
}

/** Reports regularly to the leader, in a relayer that follows. */
export class ReportSender {
  readonly #deps: ReportSenderDeps;
  readonly #stop = new AbortController();
  #interval: Interval | undefined;
  #fault: string | undefined;

  constructor(deps: ReportSenderDeps) {
    this.#deps = deps;
  }

  /** Why the leader did not get the last report; `undefined` when it did. */
  get fault(): string | undefined {
    return this.#fault;
  }

  start(): void {
    this.#interval = every(this.#deps.intervalMilliseconds, () => this.#attempt());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#interval?.stop();
  }

  async #attempt(): Promise<void> {
    try {
      await this.#send();
      this.#fault = undefined;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (this.#fault === undefined) this.#deps.onFailure(error);
      this.#fault = reasonOf(error);
    }
  }

  async #send(): Promise<void> {
    const { peers, intervalMilliseconds, content, onClosed } = this.#deps;
    const leader = await addressOfLeader(peers);
    if (leader === undefined) throw new Error("no relayer leads, or its address is not in RELAYERS");
    const report = newReport({ relayer: peers.self, ...content() });
    const answer = await callLeader(peers, leader, {
      method: "POST",
      url: REPORT_PATH,
      headers: { "content-type": "application/json" },
      caller: { source: `relayer ${peers.self}`, isProxy: false, isSecure: true },
      body: Buffer.from(JSON.stringify(report)),
      requestId: report.number,
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(intervalMilliseconds)]),
    });
    const response = ReportResponse.safeParse(await json(answer)).data;
    if (response === undefined || !isResponseTo(report, response, peers.key))
      throw new Error(`the relayer ${leader.id} does not lead, or responds with status ${answer.statusCode}`);
    response.closed.forEach(onClosed);
  }
}
