import type { RecordStore } from "../records/index.ts";
import { type Reading, readingOf } from "../readings/index.ts";

const ROWS_PER_QUERY = 500;
/** Maximum rows read, which bounds the memory. */
const MAX_ROWS = 50_000;

/** Matches every code. */
const ANY: readonly [string, string] = ["", ""];

/**
 * Reads the readings of all senders, newest record first.
 * @param since Milliseconds since 1970
 */
export async function recentReadings(records: Pick<RecordStore, "search">, since: number): Promise<Reading[]> {
  const readings: Reading[] = [];
  let before: number | undefined;
  for (let rows = 0; rows < MAX_ROWS; rows += ROWS_PER_QUERY) {
    const found = await records.search({
      field: "code",
      pattern: ANY,
      limit: ROWS_PER_QUERY,
      ...(before === undefined ? {} : { before }),
    });
    for (const record of found) {
      const reading = readingOf(record);
      if (reading !== undefined && reading.time >= since) readings.push(reading);
    }
    const last = found.at(-1);
    // Rows are in chain order, so older rows have older timestamps.
    if (last === undefined || found.length < ROWS_PER_QUERY || Date.parse(last.createdAt) < since) break;
    before = last.position;
  }
  return readings;
}
