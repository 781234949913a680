import { type Claim, claimOf } from "../files/evidence.ts";
import type { HashedEvidence } from "../files/file-worker.ts";
import type { Subject } from "./verdict.ts";

/** Evidence with the name of its file and what it claims. */
export interface NamedEvidence extends HashedEvidence, Claim {
  readonly name: string;
}

export function namedEvidence(name: string, evidence: HashedEvidence): NamedEvidence {
  return { ...evidence, ...claimOf(evidence), name };
}

/** Subjects with their evidence, and evidence that is of none of them. */
export interface Pairs {
  readonly ofSubjects: ReadonlyMap<Subject, readonly NamedEvidence[]>;
  readonly alone: readonly NamedEvidence[];
}

/**
 * Pairs by hash, in any order and under any name. What has no partner by hash is paired by name, or because there is
 * only one of each: the verifier then says how they differ.
 */
export function pairUp(subjects: readonly Subject[], evidence: readonly NamedEvidence[]): Pairs {
  const provers = evidence.filter(({ kind }) => kind !== "copy");
  const byHash = groupedBy(provers, ({ records }) => records.map(({ hash }) => hash));
  const ofSubjects = new Map(subjects.map((subject) => [subject, byHash.get(subject.hash) ?? []]));
  const hashes = new Set(subjects.map(({ hash }) => hash));
  const free = provers.filter(
    ({ kind, records }) => kind === "bundle" && !records.some(({ hash }) => hashes.has(hash)),
  );
  const byName = groupedBy(free, namesOf);
  const used = new Set(evidence.filter(({ records }) => records.some(({ hash }) => hashes.has(hash))));
  for (const [subject, found] of ofSubjects) {
    if (found.length > 0 || subject.size === undefined) continue;
    const [only, ...others] = free;
    const isOnlyPair = subjects.length === 1 && others.length === 0 && only !== undefined;
    const named = byName.get(baseName(subject.name)) ?? (isOnlyPair ? [only] : []);
    ofSubjects.set(subject, named);
    for (const each of named) used.add(each);
  }
  // A statement has a verdict of its own; the bundles that it attaches are checked with it.
  const attached = new Set(provers.flatMap(({ attachments }) => [...attachments.values()]));
  const alone = provers.filter((each) => each.kind === "statement" || !(used.has(each) || attached.has(each.sha256)));
  return { ofSubjects, alone };
}

/** Returns the last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the path without its last part. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** The names of the file of a bundle: as the bundle is called, and as the file was recorded. */
function namesOf({ name, records }: NamedEvidence): string[] {
  return [
    ...new Set([baseName(name).replace(/\.bundle\.json$/, ""), ...records.map((each) => baseName(each.document_id))]),
  ];
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
