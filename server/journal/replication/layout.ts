/** Digits of a number in a file's name, so that the order of names is the order of numbers. */
const DIGITS = 12;
/** Leading digits that name the directory: up to a thousand segments share one. */
const DIRECTORY_DIGITS = 9;
/** Digits of the content hash in a file name, which distinguish files with different content. */
const HASH_DIGITS = 16;

/** Name of the file that identifies the journal of the segments. */
export const MARKER_FILE = "sealbook-replica.json";

/** Returns whether a directory name is one for segments. */
export function isDirectoryName(name: string): boolean {
  return name.length === DIRECTORY_DIGITS && /^\d+$/.test(name);
}

/** Returns the directory of a segment. */
export function directoryOf(number: number): string {
  return padded(number).slice(0, DIRECTORY_DIGITS);
}

/** Returns the key of a segment's manifest. */
export function manifestKey(number: number): string {
  return `${directoryOf(number)}/${padded(number)}.json`;
}

/**
 * Returns the name of the file with a segment's entries: it contains a hash of the content, so that no two writers
 * share a file by mistake.
 */
export function dataName(number: number, sha256: string): string {
  return `${padded(number)}-${sha256.slice(0, HASH_DIGITS)}.ndjson.gz`;
}

/** Returns the key of a file of a segment. */
export function dataKey(number: number, name: string): string {
  return `${directoryOf(number)}/${name}`;
}

/** Returns the kind of a file in a directory of segments; `undefined` for a foreign file. */
export function fileKind(name: string): { readonly kind: "manifest" | "data"; readonly number: number } | undefined {
  const [, digits, isData] = /^(\d{12})(?:\.json|(-[0-9a-f]{16}\.ndjson\.gz))$/.exec(name) ?? [];
  return digits === undefined
    ? undefined
    : { kind: isData === undefined ? "manifest" : "data", number: Number(digits) };
}

function padded(number: number): string {
  return String(number).padStart(DIGITS, "0");
}
