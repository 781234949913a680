import type { ComparedDocument, RecordedDocument } from "../../../client/index.ts";
import { saveCsv } from "../components/save-csv.ts";
import { isoText } from "../format/moment.tsx";

/** Saves recorded documents as a table for programs. */
export function saveDocumentsCsv(documents: readonly RecordedDocument[]): void {
  save(
    documents.map(({ metadata: { type }, fault, ...document }) => ({ ...factsOf(document), type, fault })),
    "recorded.csv",
  );
}

/** Saves the result of a comparison: its rows, then the documents that are missing in it. */
export function saveComparisonCsv(rows: readonly ComparedDocument[], missing: readonly RecordedDocument[]): void {
  const lines = [
    ...rows.map((row) => ({
      ...factsOf(row),
      result: row.result,
      recorded_sha256: "recorded_hash" in row ? row.recorded_hash : undefined,
      recorded_as: "recorded_as" in row ? row.recorded_as?.join("; ") : undefined,
      reason: "reason" in row ? row.reason : undefined,
    })),
    ...missing.map(({ hash, ...document }) => ({ ...factsOf(document), result: "missing", recorded_sha256: hash })),
  ];
  save(lines, "comparison.csv");
}

/** What the fields of a document and of a row are called in all tables. */
function factsOf(row: {
  readonly document_id: string;
  readonly hash?: string;
  readonly id?: string;
  readonly recorded_at?: number | null;
  readonly tx_hash?: string | null;
  readonly block_number?: number | null;
}) {
  const { document_id, hash, id, recorded_at: at, tx_hash, block_number } = row;
  return {
    document_id,
    sha256: hash,
    recorded_at: at == null ? undefined : isoText(at),
    proof_id: id,
    transaction: tx_hash,
    block: block_number,
  };
}

function save(lines: readonly object[], name: string): void {
  saveCsv(lines, [...new Set(lines.flatMap((line) => Object.keys(line)))], name);
}
