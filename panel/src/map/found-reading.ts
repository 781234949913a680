import type { FoundRecord } from "../../../client/record-schemas.ts";
import type { RecordPage, RecordSearch } from "../../../client/records.ts";
import { type Reading, readingIn } from "../../../server/domain/air-quality/reading.ts";

/** A reading and the record that it is in. */
export interface FoundReading extends Reading {
  readonly record: FoundRecord;
}

/** Gets a page of the records that match. */
export type GetPage = (search: RecordSearch, cursor: string | undefined) => Promise<RecordPage>;

/** What came of looking for readings. */
export interface Found {
  readonly readings: readonly FoundReading[];
  /** Whether older records were left out, as there are too many. */
  readonly isCut: boolean;
}

/** Readings have whatever topic their sender likes: they are known by what is in them. */
const SEARCH: RecordSearch = { field: "topic", value: "*", limit: 1_000, places: true };
/** More records than this are not read, however many a day has. */
const MAX_RECORDS = 50_000;

/**
 * All readings since a moment. Records come newest first: once they are older, or known, nothing new follows.
 *
 * @param since Milliseconds since 1970
 * @param known Readings that were found before; they are in what is returned
 * @param onProgress Told how many records were read so far
 */
export async function findReadings(getPage: GetPage, since: number, known: readonly FoundReading[], onProgress: (records: number) => void): Promise<Found> {
  const kept = known.filter(({ time }) => time >= since);
  const seen = new Set(kept.map(({ record }) => keyOf(record)));
  const readings: FoundReading[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < MAX_RECORDS; ) {
    const { events, next } = await getPage(SEARCH, cursor);
    count += events.length;
    onProgress(count);
    const isNew = (record: FoundRecord): boolean => !(Date.parse(record.createdAt) < since) && !seen.has(keyOf(record));
    for (const record of events.filter(isNew)) {
      const reading = readingIn(record, record.payload);
      if (reading !== undefined) readings.push({ ...reading, record });
    }
    const last = events.at(-1);
    if (next === undefined || last === undefined || Date.parse(last.createdAt) < since || seen.has(keyOf(last))) {
      return { readings: [...readings, ...kept], isCut: false };
    }
    cursor = next;
  }
  return { readings: [...readings, ...kept], isCut: true };
}

function keyOf({ sender, code, createdAt, place }: FoundRecord): string {
  return place?.chainId ?? `${sender} ${createdAt} ${code}`;
}
