import type { Database } from "../../server/journal/engine/database.ts";
import type { RecordQuery, RecordRow } from "../../server/records/record.ts";
import { scanRecords } from "../../server/records/record-scan.ts";
import { KEY } from "./journal-key.ts";
import { recordReader } from "../../server/records/record-reader.ts";

/** Searches the record index step by step. */
export async function searchRecords(database: Database, query: RecordQuery): Promise<RecordRow[]> {
  const positions: number[] = [];
  let { before } = query;
  do {
    const step = await scanRecords(database, { ...query, limit: query.limit - positions.length, before });
    positions.push(...step.positions);
    before = step.next;
  } while (before !== undefined && positions.length < query.limit);
  return recordReader(database, KEY).rows(positions);
}
