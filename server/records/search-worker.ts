// Module of the threads of RecordSearch.
import type { Database } from "../journal/engine/database.ts";
import { type DatabaseLocation, openForQueries } from "../journal/engine/query-connection.ts";
import { serveJobs } from "../kit/workers/reply.ts";
import type { RecordQuery } from "./record.ts";
import { scanRecords } from "./record-scan.ts";

/** Data of the module, for all jobs. */
export interface WorkerData {
  readonly location: DatabaseLocation;
}

let connection: Promise<Database> | undefined;

export const scan = serveJobs(async (query: RecordQuery, { location }: WorkerData) => {
  const start = performance.now();
  connection ??= openForQueries(location);
  // Opens again after a failure, such as a file that is not in place.
  connection.catch(() => (connection = undefined));
  const step = await scanRecords(await connection, query);
  return { ...step, milliseconds: performance.now() - start };
});
