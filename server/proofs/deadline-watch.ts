import type { Clock } from "../kit/clock.ts";
import type { ProofJournal } from "./stores.ts";
import type { ProofEvents } from "./events.ts";

const INTERVAL_MILLISECONDS = 1_000;

/** Watches over the promise that no accepted proof stays off the chain longer than a bound without anybody being told. */
export class DeadlineWatch {
  readonly #anchors: ProofJournal["anchors"];
  readonly #telemetry: Pick<ProofEvents, "anchoringLate" | "anchoringInTime">;
  readonly #clock: Clock;
  readonly #boundMilliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(
    anchors: ProofJournal["anchors"],
    telemetry: Pick<ProofEvents, "anchoringLate" | "anchoringInTime">,
    clock: Clock,
    boundMilliseconds: number,
  ) {
    this.#anchors = anchors;
    this.#telemetry = telemetry;
    this.#clock = clock;
    this.#boundMilliseconds = boundMilliseconds;
  }

  start(): void {
    this.#timer = setInterval(() => {
      // A journal that cannot be read is told of by whoever writes to it.
      this.#work = this.#check().catch(() => undefined);
    }, INTERVAL_MILLISECONDS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  /** Seconds since the oldest proof was accepted that is not on chain; 0 when all are. */
  async oldestSeconds(): Promise<number> {
    const oldest = await this.#anchors.oldestUnconfirmed();
    return oldest === undefined ? 0 : Math.max(0, (this.#clock() - oldest) / 1000);
  }

  async #check(): Promise<void> {
    const seconds = await this.oldestSeconds();
    if (seconds * 1000 > this.#boundMilliseconds) this.#telemetry.anchoringLate(seconds);
    else this.#telemetry.anchoringInTime();
  }
}
