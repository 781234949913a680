import type { ReadEvidence } from "../files/evidence.ts";
import type { Subject } from "./verdict.ts";

/** Evidence with the file that has it; a PDF can have several. */
export interface NamedEvidence extends ReadEvidence {
  /** Number of the file. */
  readonly source: string;
  readonly name: string;
  readonly isInPdf: boolean;
}

/**
 * Pairs documents with evidence by hash, in any order and under any name. A bundle without its document is paired with
 * the file that it is called after, or with the only file there is: the verifier then says how they differ.
 */
export function pairUp(
  subjects: readonly Subject[],
  evidence: readonly NamedEvidence[],
): ReadonlyMap<Subject, readonly NamedEvidence[]> {
  const byHash = groupedBy(
    evidence.filter(({ kind }) => kind !== "copy"),
    ({ records }) => records.map(({ hash }) => hash),
  );
  const hashes = new Set(subjects.map(({ hash }) => hash));
  const attached = new Set(evidence.flatMap(({ attachments }) => [...attachments.values()]));
  const free = evidence.filter(
    ({ kind, isInPdf, sha256, records }) =>
      kind === "bundle" && !isInPdf && !attached.has(sha256) && !records.some(({ hash }) => hashes.has(hash)),
  );
  const byName = groupedBy(free, ({ name }) => [name]);
  const isOnlyPair = subjects.length === 1 && evidence.length === 1;
  return new Map(
    subjects.map((subject) => {
      const found = byHash.get(subject.hash) ?? [];
      if (found.length > 0 || subject.size === undefined) return [subject, inOrder(subject, found)];
      return [subject, isOnlyPair ? free : (byName.get(`${subject.name}.bundle.json`) ?? [])];
    }),
  );
}

/** A bundle proves a document by itself, a statement can only state it; the one with the file's name comes first. */
function inOrder({ name }: Subject, evidence: readonly NamedEvidence[]): readonly NamedEvidence[] {
  const rank = ({ kind, records }: NamedEvidence) =>
    kind === "statement" ? 2 : records.some(({ document_id }) => document_id === name) ? 0 : 1;
  return evidence.toSorted((a, b) => rank(a) - rank(b));
}

/** Returns the path without its last part. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Returns the last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function groupedBy(
  evidence: readonly NamedEvidence[],
  keysOf: (each: NamedEvidence) => readonly string[],
): Map<string, NamedEvidence[]> {
  const groups = new Map<string, NamedEvidence[]>();
  for (const each of evidence) {
    for (const key of new Set(keysOf(each))) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [each]);
      else group.push(each);
    }
  }
  return groups;
}
