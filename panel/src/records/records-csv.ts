import type { FoundRecord } from "../../../client/index.ts";
import { saveCsv } from "../components/save-csv.ts";
import { isoText } from "../format/moment.tsx";
import { namesIn, valuesOf } from "./payload-columns.ts";

/** Saves records as a table for programs, with all values of their payloads. */
export function saveRecordsCsv(records: readonly FoundRecord[]): void {
  const names = namesIn(records);
  const lines = records.map((record) => {
    const { code, topic, sender, createdAt, location, mark } = record;
    const at = Date.parse(createdAt) / 1000;
    const values = valuesOf(record);
    return [
      Number.isNaN(at) ? createdAt : isoText(at),
      code,
      topic,
      sender,
      location?.chainId,
      location?.blockNumber,
      location?.transactionHash,
      mark?.overwritten_by,
      ...names.map((name) => values.get(name)),
    ];
  });
  const columns = ["time", "code", "topic", "sender", "row_id", "block", "transaction", "overwritten_by"];
  saveCsv(lines, [...columns, ...names.map((name) => `payload.${name}`)], "records.csv");
}
