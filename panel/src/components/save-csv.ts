import { stringify } from "csv-stringify/browser/esm/sync";
import { saveFile } from "./save-file.ts";

/** A cell that begins like this is a formula for spreadsheets; a number is none. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Keeps spreadsheets from running a cell: a file or a record can have such a name. */
function plain(value: unknown): unknown {
  return typeof value === "string" && FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}

function mapValues(line: object): object {
  return Object.fromEntries(Object.entries(line).map(([name, value]) => [name, plain(value)]));
}

/**
 * Saves a table for programs.
 * @param lines Objects with the columns as keys, or lists in the order of the columns
 */
export function saveCsv(lines: readonly object[], columns: readonly string[], name: string): void {
  const text = stringify(
    lines.map((line) => (Array.isArray(line) ? line.map(plain) : mapValues(line))),
    { header: true, columns: [...columns], bom: true },
  );
  saveFile(text, name, "text/csv");
}
