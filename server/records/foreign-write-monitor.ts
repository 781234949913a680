import { type Clock, millisecondsSince } from "../kit/time.ts";
import { prefixedHex } from "../kit/bytes.ts";
import type { IndexChange, RowWrite } from "./record-index.ts";

/** The alert about a cause ends when nothing more of it was found for this time. */
const QUIET_MILLISECONDS = 24 * 3_600_000;

/** Kinds of foreign writes. */
export type WriteCause = keyof IndexChange;

/** Events of records on chain that were altered past the server. Handlers never throw. */
export interface WriteEvents {
  /** @param message Names the number so far and the first of them */
  recordsAltered(cause: WriteCause, count: number, message: string): void;
  recordsUndisturbed(cause: WriteCause): void;
}

const TEXTS: Readonly<Record<WriteCause, string>> = {
  overwritten: "rows were written over records of this server",
  replayed: "signed rows were written again, or in another place",
};

/** Counts the writes past the server since its start, by cause. */
export class ForeignWriteMonitor {
  readonly #events: WriteEvents;
  readonly #clock: Clock;
  readonly #seen = new Map<WriteCause, { count: number; readonly first: RowWrite }>();
  readonly #lastAt: Record<WriteCause, number>;

  constructor(events: WriteEvents, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
    this.#lastAt = { overwritten: clock(), replayed: clock() };
  }

  add(change: IndexChange): void {
    for (const cause of ["overwritten", "replayed"] as const) {
      const [first] = change[cause];
      if (first === undefined) continue;
      const seen = this.#seen.get(cause) ?? { count: 0, first };
      seen.count += change[cause].length;
      this.#seen.set(cause, seen);
      this.#lastAt[cause] = this.#clock();
      const { rowId, tableName, transactionHash } = seen.first;
      this.#events.recordsAltered(
        cause,
        change[cause].length,
        `${seen.count} ${TEXTS[cause]} since the start of the server, past it; the first: row ${rowId} of table ` +
          `${JSON.stringify(tableName.slice(0, 64))} by transaction ${prefixedHex(transactionHash)}; ` +
          "searches mark the records",
      );
    }
  }

  /** Ends the alerts of causes without a new finding; to be called now and then. */
  check(): void {
    for (const cause of ["overwritten", "replayed"] as const)
      if (millisecondsSince(this.#lastAt[cause], this.#clock()) >= QUIET_MILLISECONDS)
        this.#events.recordsUndisturbed(cause);
  }
}
