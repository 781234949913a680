import { SealbookError } from "../../errors.ts";
import { askLeader } from "../../http/forwarding/proven-answer.ts";
import type { Peers } from "../../http/forwarding/relayer-call.ts";
import { every, type Interval } from "../../kit/time.ts";
import { newReport, REPORT_PATH, type RelayerReport, ReportResponse } from "./report.ts";

export interface ReportSenderDeps {
  readonly peers: Peers;
  readonly intervalMilliseconds: number;
  readonly content: () => Omit<RelayerReport, "relayer">;
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
    const report = newReport({ relayer: peers.self, ...content() });
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(intervalMilliseconds)]);
    const response = ReportResponse.parse(await askLeader(peers, REPORT_PATH, report, signal));
    response.closed.forEach(onClosed);
  }
}

/** A report can be lost without harm. */
function reasonOf(error: unknown): string {
  if (error instanceof SealbookError && error.code !== "outcome_unknown") return error.message;
  return "the relayer that leads does not respond";
}
