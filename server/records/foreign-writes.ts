import { prefixedHex } from "../kit/bytes.ts";
import { type Clock, millisecondsSince } from "../kit/time.ts";
import type { RowWrite } from "./indexed-rows.ts";

/** The alert ends when no more rows were found for this time. */
const QUIET_MILLISECONDS = 24 * 3_600_000;

/** Events of rows that other transactions than the server's wrote into its table. Handlers never throw. */
export interface ForeignWriteEvents {
  /** @param message Names the number so far and the first of them */
  foreignRows(count: number, message: string): void;
  noForeignRows(): void;
}

/** Counts the rows of other writers since the server's start. */
export class ForeignWrites {
  readonly #events: ForeignWriteEvents;
  readonly #clock: Clock;
  #count = 0;
  #first: RowWrite | undefined;
  #lastAt: number;

  constructor(events: ForeignWriteEvents, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
    this.#lastAt = clock();
  }

  add(writes: readonly RowWrite[]): void {
    this.#first ??= writes[0];
    if (this.#first === undefined) return;
    this.#count += writes.length;
    this.#lastAt = this.#clock();
    const { rowId, transactionHash } = this.#first;
    this.#events.foreignRows(
      writes.length,
      `${this.#count} rows in the table of this server are by other transactions than its own, since its start; the ` +
        `first: row ${rowId} by transaction ${prefixedHex(transactionHash)}; searches mark overwritten records`,
    );
  }

  /** Ends the alert after a day without a further row; to be called now and then. */
  check(): void {
    if (millisecondsSince(this.#lastAt, this.#clock()) >= QUIET_MILLISECONDS) this.#events.noForeignRows();
  }
}
