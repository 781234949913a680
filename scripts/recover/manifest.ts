import { readFile } from "node:fs/promises";
import { reasonOf } from "../proofs/reason.ts";
import { BAD_USAGE, CommandFailure } from "../commands/run-command.ts";
import { fileText, VerificationError } from "../../verifier/verify.mjs";

/** Invalid CSV. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}

/** A row with the number of its first line, from 1. */
interface CsvRow {
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

const COLUMNS = ["document_id", "path"] as const;

/** Assignment of a file to a document. */
interface ManifestEntry {
  readonly documentId: string;
  /** Path as written in the manifest. */
  readonly path: string;
}

/**
 * Reads a manifest: CSV with a header that includes the columns `document_id` and `path`.
 * @throws CommandFailure with the line number
 */
export async function readManifest(file: string): Promise<ManifestEntry[]> {
  try {
    return entriesOf(fileText(await readFile(file)));
  } catch (error) {
    const reason = error instanceof CsvError || error instanceof VerificationError ? error.message : reasonOf(error);
    throw new CommandFailure(`${file}: ${reason}`, BAD_USAGE);
  }
}

function entriesOf(text: string): ManifestEntry[] {
  const [header, ...rows] = readCsv(text);
  const [idColumn = -1, pathColumn = -1] = COLUMNS.map((name) => header?.fields.indexOf(name));
  if (header === undefined || idColumn === -1 || pathColumn === -1)
    throw new CsvError(`line 1: does not name the columns ${COLUMNS.join(" and ")}`);
  const lines = new Map<string, number>();
  return rows.map(({ line, fields }) => {
    if (fields.length !== header.fields.length)
      throw new CsvError(`line ${line}: has ${fields.length} fields, not ${header.fields.length}`);
    const [documentId = "", path = ""] = [fields[idColumn], fields[pathColumn]];
    if (documentId === "" || path === "")
      throw new CsvError(`line ${line}: the ${documentId === "" ? COLUMNS[0] : COLUMNS[1]} is empty`);
    const other = lines.get(documentId);
    if (other !== undefined) throw new CsvError(`line ${line}: duplicate document, first named in line ${other}`);
    lines.set(documentId, line);
    return { documentId, path };
  });
}
