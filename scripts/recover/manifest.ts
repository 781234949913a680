import { readFile } from "node:fs/promises";
import { reasonOf } from "../proofs/reason.ts";
import { CommandFailure } from "../proofs/run-command.ts";
import { CsvError, readCsv } from "./csv.ts";

const BAD_USAGE = 2;
const COLUMNS = ["document_id", "path"] as const;

/** Which file is which document. */
export interface ManifestEntry {
  readonly documentId: string;
  /** As it is written in the manifest. */
  readonly path: string;
}

/**
 * Reads which files are which documents: CSV whose first line names the columns `document_id` and `path`, among others.
 * @throws CommandFailure that names the line
 */
export async function readManifest(file: string): Promise<ManifestEntry[]> {
  try {
    return entriesOf(await readFile(file, "utf8"));
  } catch (error) {
    const reason = error instanceof CsvError ? error.message : reasonOf(error);
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
    if (other !== undefined) throw new CsvError(`line ${line}: the document is named in line ${other} already`);
    lines.set(documentId, line);
    return { documentId, path };
  });
}
