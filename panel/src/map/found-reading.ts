import type { FoundRecord } from "../../../client/index.ts";
import type { RecordPage, RecordSearch } from "../../../client/records.ts";
import { type Reading, readingIn } from "../../../air-quality/reading.ts";

/** A reading and the record that it is in. */
export interface FoundReading extends Reading {
  readonly record: FoundRecord;
}

/** Fetches a page of matching records. */
export type GetPage = (search: RecordSearch, cursor: string | undefined) => Promise<RecordPage>;

/** Result of a search for readings. */
export interface Found {
  readonly readings: readonly FoundReading[];
  /** Whether older records were omitted, because there are too many. */
  readonly isTruncated: boolean;
  /** The newest record that was read, of any kind. */
  readonly newest: string | undefined;
}

/** The topic of a reading is arbitrary: readings are recognised by their content. */
const SEARCH: RecordSearch = { field: "topic", value: "*", locations: true };
/** Records per page, for a whole day and for an update. */
const PAGE = { first: 1_000, next: 100 };
/** Maximum number of records that are read for a day. */
const MAX_RECORDS = 50_000;

/**
 * Finds all readings since a time. Records arrive newest first: the first record that is older, or was read before,
 * ends the search.
 *
 * @param since Milliseconds since 1970
 * @param before The previous result, which the new one extends
 * @param onProgress Called with the number of records read
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
  const found = (isTruncated: boolean): Found => {
    const previous = before?.readings.filter(({ time }) => time >= since) ?? [];
    return { readings: [...readings, ...previous], isTruncated, newest: newest ?? before?.newest };
  };
  do {
    const { events, next } = await getPage(search, cursor);
    for (const record of events) {
      const key = keyOf(record);
      if (key === before?.newest) return found(before.isTruncated);
      newest ??= key;
      // An invalid date does not end the search: such a record is skipped.
      if (Date.parse(record.createdAt) < since) return found(false);
      if ((record.mark?.overwritten_by ?? null) !== null) continue;
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
