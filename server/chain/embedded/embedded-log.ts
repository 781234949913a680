/** Events of the embedded chain, for the log. */
export type EmbeddedChainEvent =
  | { readonly kind: "replay-progress"; readonly done: number; readonly total: number }
  | { readonly kind: "ready"; readonly blockNumber: number; readonly replayed: number; readonly milliseconds: number }
  | {
      readonly kind: "snapshot-written";
      readonly blockNumber: number;
      readonly bytes: number;
      readonly milliseconds: number;
    }
  | { readonly kind: "snapshot-failed"; readonly blockNumber: number; readonly reason: string }
  /** A snapshot contradicts the log; it is removed, and an older one or the whole log is used. */
  | { readonly kind: "snapshot-unusable"; readonly blockNumber: number; readonly reason: string }
  /** Anvil ended unexpectedly or a block could not be written; the chain restarts. */
  | { readonly kind: "interrupted"; readonly reason: string }
  /** The chain runs again; waiting transactions were sent again or dropped. */
  | { readonly kind: "resumed"; readonly resent: number; readonly dropped: number }
  | { readonly kind: "resume-failed"; readonly reason: string; readonly retryInMilliseconds: number }
  /** The clock was set forward: no blocks are made until it is back. */
  | { readonly kind: "clock-ahead" | "clock-back"; readonly seconds: number }
  /** The chain cannot run; every request fails with this error until the process restarts. */
  | { readonly kind: "broken"; readonly reason: string };

/** Receives the events. */
export type EventSink = (event: EmbeddedChainEvent) => void;

const KEPT_LINES = 500;

/** The log lines of the embedded chain since its start, in memory. */
export class EmbeddedLog {
  readonly #lines: string[] = [];

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
    this.#lines.push(`${new Date().toISOString()} ${line}`);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }
}
