import solc from "solc";

/** A node of the compiler's syntax tree. `src` has the form `start:length:file`, in bytes. */
export interface SyntaxNode {
  readonly nodeType: string;
  readonly src: string;
  readonly [field: string]: unknown;
}

/** Bytes `start` to `end` of a source, `end` excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns whether a value is a node of the tree. */
export function isNode(value: unknown): value is SyntaxNode {
  return isRecord(value) && typeof value["nodeType"] === "string" && typeof value["src"] === "string";
}

/** Returns the bytes of a node. */
export function spanOf({ src }: SyntaxNode): Span {
  const [start = NaN, length = NaN] = src.split(":").map(Number);
  return { start, end: start + length };
}

/**
 * Parses a source and returns all nodes of its syntax tree.
 *
 * The compiler stops after parsing: it needs no imports, and nodes have no types.
 * @throws if the source does not parse
 */
export function parse(file: string, source: string): SyntaxNode[] {
  const input = {
    language: "Solidity",
    sources: { [file]: { content: source } },
    settings: { stopAfter: "parsing", outputSelection: { "*": { "": ["ast"] } } },
  };
  const text: unknown = solc.compile(JSON.stringify(input));
  const output: unknown = JSON.parse(String(text));
  const sources = isRecord(output) ? output["sources"] : undefined;
  const unit = isRecord(sources) ? sources[file] : undefined;
  const tree = isRecord(unit) ? unit["ast"] : undefined;
  if (!isNode(tree)) throw new Error(`${file} does not parse: ${String(text)}`);
  return descendants(tree);
}

function descendants(value: unknown): SyntaxNode[] {
  if (Array.isArray(value)) return value.flatMap(descendants);
  if (!isRecord(value)) return [];
  return [...(isNode(value) ? [value] : []), ...Object.values(value).flatMap(descendants)];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
