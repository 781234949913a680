import type { FoundRecord } from "../../../client/index.ts";
import { jsonOnOneLine } from "../components/pretty-json.ts";
import { writtenJson } from "../components/written-json.ts";

/**
 * The values of a payload by their names; that of a nested one is `outer.inner`, and a key with a dot is in quotation
 * marks. Computed once for a record.
 */
const values = new WeakMap<FoundRecord, ReadonlyMap<string, string>>();

/** Returns the values of a record's payload as texts, numbers as they were written. */
export function valuesOf(record: FoundRecord): ReadonlyMap<string, string> {
  const known = values.get(record);
  if (known !== undefined) return known;
  const found = new Map<string, string>();
  collect(writtenJson(record.payloadText), "", found);
  values.set(record, found);
  return found;
}

/** Returns the names of values in some records, those that most have first; else in the order of their appearance. */
export function namesIn(records: readonly FoundRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const record of records)
    for (const name of valuesOf(record).keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

function collect(value: unknown, name: string, found: Map<string, string>): void {
  const isObject = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  const entries = isObject ? Object.entries(value) : [];
  if (entries.length === 0 && name !== "") found.set(name, typeof value === "string" ? value : jsonOnOneLine(value));
  for (const [key, each] of entries) {
    const part = key === "" || key.includes(".") ? JSON.stringify(key) : key;
    collect(each, name === "" ? part : `${name}.${part}`, found);
  }
}
