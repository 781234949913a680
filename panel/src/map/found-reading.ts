import type { FoundRecord } from "../../../client/index.ts";
import type { RecordPage, RecordSearch } from "../../../client/records.ts";
import { type Reading, readingIn } from "../../../server/readings/air-quality/reading.ts";

/** A reading and the record that it is in. */
export interface FoundReading extends Reading {
  readonly record: FoundRecord;
}

/** Fetches a page of matching records. */
export type GetPage = (search: RecordSearch, cursor: string | undefined) => Promise<RecordPage>;

/** Result of a search for readings. */
export interface Found {
  readonly readings: readonly FoundReading[];
  /** Whether older records were left out, as there are too many. */
  readonly isCut: boolean;
  /** The newest record that was read, whatever it was. */
  readonly newest: string | undefined;
}

/** Readings have whatever topic their sender likes: they are known by what is in them. */
const SEARCH: RecordSearch = { field: "topic", value: "*", locations: true };
/** Records a page, for a whole day and for what has come since the last look. */
const PAGE = { first: 1_000, next: 100 };
/** More records than this are not read, however many a day has. */
const MAX_RECORDS = 50_000;

/**
 * All readings since a moment. Records come newest first: those that are older, or that were read before, end it.
 *
 * @param since Milliseconds since 1970
 * @param before What was found before, which what is returned goes on from
 * @param onProgress Told how many records were read so far
 */
export async function findReadings(
  getPage: GetPage,
  since: number,
  before: Found | undefined,
  onProgress: (records: number) => void,
): Promise<Found> {
  const readings: FoundReading[] = [];
  const search = { ...SEARCH, limit: before === undefined ? PAGE.first : PAGE.next };
  let newest: string | undefined;
  let cursor: string | undefined;
  let count = 0;
  const found = (isCut: boolean): Found => {
    const kept = before?.readings.filter(({ time }) => time >= since) ?? [];
    return { readings: [...readings, ...kept], isCut, newest: newest ?? before?.newest };
  };
  do {
    const { events, next } = await getPage(search, cursor);
    for (const record of events) {
      const key = keyOf(record);
      if (key === before?.newest) return found(before.isCut);
      newest ??= key;
      // A date that is none ends nothing: such a record is passed over.
      if (Date.parse(record.createdAt) < since) return found(false);
      const reading = readingIn(record, record.payload);
      if (reading !== undefined) readings.push({ ...reading, record });
    }
    count += events.length;
    onProgress(count);
    cursor = next;
  } while (cursor !== undefined && count < MAX_RECORDS);
  return found(cursor !== undefined);
}

function keyOf({ sender, code, createdAt, location }: FoundRecord): string {
  return location?.chainId ?? `${sender} ${createdAt} ${code}`;
}
