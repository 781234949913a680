import { editsOf, type Edit } from "./operators.ts";
import { parse, type Span } from "./syntax-tree.ts";

/** A source file with one change. */
export interface Mutant {
  /** Path from the root of the project. */
  readonly file: string;
  readonly line: number;
  /** The lines that the change is in, as one line. */
  readonly original: string;
  /** The same lines after the change. */
  readonly mutated: string;
  /** The whole file after the change. */
  readonly source: string;
}

/** A mutant that no test can kill. Line numbers change too often to identify it. */
export interface EquivalentMutant extends Pick<Mutant, "file" | "original" | "mutated"> {
  readonly reason: string;
}

const NEWLINE = 0x0a;

/** Returns all mutants of a source file, in the order of the file. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const bytes = Buffer.from(source);
  const textOf = ({ start, end }: Span): string => bytes.toString("utf8", start, end);
  const edits = parse(file, source).flatMap((node) => editsOf(node, textOf));
  return edits.sort((a, b) => a.start - b.start || a.end - b.end).map((edit) => mutantOf(file, bytes, edit));
}

function mutantOf(file: string, bytes: Buffer, { start, end, replacement }: Edit): Mutant {
  const lineStart = bytes.lastIndexOf(NEWLINE, start - 1) + 1;
  const newline = bytes.indexOf(NEWLINE, end);
  const lineEnd = newline === -1 ? bytes.length : newline;
  const text = (from: number, to: number): string => bytes.toString("utf8", from, to);
  const oneLine = (lines: string): string => lines.replaceAll(/\s+/g, " ").trim();
  return {
    file,
    line: text(0, start).split("\n").length,
    original: oneLine(text(lineStart, lineEnd)),
    mutated: oneLine(text(lineStart, start) + replacement + text(end, lineEnd)),
    source: text(0, start) + replacement + text(end, bytes.length),
  };
}

/** Mutants without the equivalent ones, and the entries of the list to which no mutant belongs. */
export interface Selection {
  readonly mutants: readonly Mutant[];
  readonly unused: readonly EquivalentMutant[];
}

/** Leaves out the mutants of the list of equivalent mutants. */
export function withoutEquivalent(mutants: readonly Mutant[], equivalent: readonly EquivalentMutant[]): Selection {
  const files = new Set(mutants.map(({ file }) => file));
  const key = ({ file, original, mutated }: Pick<Mutant, "file" | "original" | "mutated">): string =>
    JSON.stringify([file, original, mutated]);
  const listed = new Set(equivalent.map(key));
  const present = new Set(mutants.map(key));
  return {
    mutants: mutants.filter((mutant) => !listed.has(key(mutant))),
    unused: equivalent.filter((entry) => files.has(entry.file) && !present.has(key(entry))),
  };
}
