/** Invalid CSV. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}

/** A row with the number of its first line, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/** A quoted or bare field and its terminator. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/**
 * Parses CSV according to RFC 4180. Skips a byte order mark and empty lines.
 * @throws CsvError with the line number
 */
export function* readCsv(text: string): Generator<CsvRow, void> {
  const field = new RegExp(FIELD);
  field.lastIndex = text.startsWith("\uFEFF") ? 1 : 0;
  for (let line = 1; field.lastIndex < text.length;) {
    const begin = line;
    const fields: string[] = [];
    let end = ",";
    while (end === ",") {
      const found = field.exec(text);
      if (found === null) throw new CsvError(`line ${line}: misplaced or unclosed quote`);
      const [whole, quoted, bare = ""] = found;
      end = found[3] ?? "";
      fields.push(quoted?.replaceAll('""', '"') ?? bare);
      line += whole.split("\n").length - 1;
    }
    if (fields.length > 1 || fields[0] !== "") yield { line: begin, fields };
  }
}
