import type { Clock } from "../../kit/clock.ts";
import type { EmbeddedChainEvent } from "./events.ts";

const KEPT_LINES = 500;

/** The log lines of the embedded chain since its start, in memory. */
export class EmbeddedLog {
  readonly #lines: string[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock = Date.now) {
    this.#clock = clock;
  }

  onEvent({ kind, ...details }: EmbeddedChainEvent): void {
    this.#write([kind, ...Object.entries(details).map(([name, value]) => `${name}=${value}`)].join(" "));
  }

  onBlock(number: number): void {
    this.#write(`block blockNumber=${number}`);
  }

  /** Oldest first. */
  lines(): readonly string[] {
    return this.#lines;
  }

  #write(line: string): void {
    this.#lines.push(`${new Date(this.#clock()).toISOString()} ${line}`);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }
}
