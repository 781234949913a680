import type { RecordStore } from "../records/index.ts";
import { type Reading, readingOf } from "../readings/index.ts";

const ROWS_AT_ONCE = 500;
/** More than any day of a small installation has; the rest is left out rather than held in memory. */
const MOST_ROWS = 50_000;

/** Every record, whatever its code. */
const ANY: readonly [string, string] = ["", ""];

/**
 * Readings that records of every sender hold, newest record first.
 * @param since Milliseconds since 1970
 */
export async function recentReadings(records: Pick<RecordStore, "search">, since: number): Promise<Reading[]> {
  const readings: Reading[] = [];
  let before: number | undefined;
  for (let rows = 0; rows < MOST_ROWS; rows += ROWS_AT_ONCE) {
    const found = await records.search({
      field: "code",
      pattern: ANY,
      limit: ROWS_AT_ONCE,
      ...(before === undefined ? {} : { before }),
    });
    for (const record of found) {
      const reading = readingOf(record);
      if (reading !== undefined && reading.time >= since) readings.push(reading);
    }
    const last = found.at(-1);
    // Rows are in the order of the chain; what was signed long ago came long ago.
    if (last === undefined || found.length < ROWS_AT_ONCE || Date.parse(last.createdAt) < since) break;
    before = last.position;
  }
  return readings;
}
