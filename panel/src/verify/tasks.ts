import { type Checker, isOnlyStatement, STATEMENT_COPY } from "./check.ts";
import { baseName, folderOf, type NamedEvidence, pairUp } from "./pairing.ts";
import type { EvidenceVerdict, Row, Subject } from "./verdict.ts";

/** A row, and what determines its verdict. */
export interface Task {
  readonly row: Row;
  /** Returns `undefined` when no evidence is for it, and "elsewhere" when the row of a statement says it. */
  readonly verdict: () => Promise<EvidenceVerdict | "elsewhere" | undefined>;
}

/** Returns everything that gets a row: documents, statements, and bundles without a document, in this order. */
export function tasksOf(subjects: readonly Subject[], evidence: readonly NamedEvidence[], checker: Checker): Task[] {
  const documents = documentsOf(subjects, evidence);
  const ofDocuments = pairUp(documents, evidence);
  const covered = new Set([...ofDocuments.values()].flat());
  /** The attachments of verified statements, which are verified with them. */
  const attached = new Set<string>();
  const ofDocument = (document: Subject): Task => ({
    row: { ...document, verdict: undefined },
    verdict: () => checker.document(document.hash, ofDocuments.get(document) ?? []),
  });
  const ofStatement = (statement: NamedEvidence): Task => ({
    row: { ...rowOf(statement), isStatement: true },
    verdict: async () => {
      const verdict = await checker.statement(statement);
      if (verdict.kind === "verified") for (const hash of statement.attachments.values()) attached.add(hash);
      return verdict;
    },
  });
  const ofBundle = (bundle: NamedEvidence): Task => ({
    row: rowOf(bundle),
    verdict: async () => {
      const verdict = await checker.bundleAlone(bundle);
      return attached.has(bundle.sha256) && verdict.kind !== "not_verified" ? "elsewhere" : verdict;
    },
  });
  const isAlone = (each: NamedEvidence) => each.kind === "bundle" && !covered.has(each) && !each.isInPdf;
  return [
    ...documents.map(ofDocument),
    ...evidence.filter(({ kind }) => kind === "statement").map(ofStatement),
    ...evidence.filter(isAlone).map(ofBundle),
  ];
}

/**
 * The documents. A bundle or a statement is one only when other evidence is for it, the text of a statement unless it
 * is compared with that, and a PDF always: what it shows is not what its statement says.
 */
function documentsOf(subjects: readonly Subject[], evidence: readonly NamedEvidence[]): readonly Subject[] {
  const proven = new Set(evidence.flatMap(({ records }) => records.map(({ hash }) => hash)));
  /** Whether a text is compared with the statement beside it. */
  const isCompared = ({ name }: NamedEvidence) =>
    baseName(name) === STATEMENT_COPY &&
    isOnlyStatement(evidence.filter((each) => !each.isInPdf && folderOf(each.name) === folderOf(name)));
  const isHidden = (each: NamedEvidence) => !each.isInPdf && (each.kind !== "copy" || isCompared(each));
  const hidden = new Set(evidence.filter(isHidden).map(({ source }) => source));
  return subjects.filter(({ id, hash }) => !hidden.has(id) || proven.has(hash));
}

/** Evidence with a row of its own. */
function rowOf({ source, sha256, name }: NamedEvidence): Row {
  return { id: `${source} ${sha256}`, name, size: undefined, hash: undefined, verdict: undefined };
}
