/** Digits of a number in a file's name, so that the order of names is that of numbers. */
const DIGITS = 12;
/** The digits that name the directory: a thousand segments share one, however many there are. */
const DIRECTORY_DIGITS = 9;
/** Digits of the hash that tell files of different content apart. */
const HASH_DIGITS = 16;

/** Name of the file that says whose segments these are. */
export const MARKER_FILE = "sealbook-replica.json";

/** Whether a directory can hold segments. */
export function isDirectoryName(name: string): boolean {
  return name.length === DIRECTORY_DIGITS && /^\d+$/.test(name);
}

/** The directory that a segment is in. */
export function directoryOf(number: number): string {
  return padded(number).slice(0, DIRECTORY_DIGITS);
}

/** Where the manifest of a segment is. */
export function manifestKey(number: number): string {
  return `${directoryOf(number)}/${padded(number)}.json`;
}

/**
 * Name of the file with a segment's entries: the name tells the content, so that no two writers share a file by
 * mistake.
 */
export function dataName(number: number, sha256: string): string {
  return `${padded(number)}-${sha256.slice(0, HASH_DIGITS)}.ndjson.gz`;
}

/** Where a file of a segment is. */
export function dataKey(number: number, name: string): string {
  return `${directoryOf(number)}/${name}`;
}

/** What a file in a directory of segments is; `undefined` for one that does not belong there. */
export function fileKind(name: string): { readonly kind: "manifest" | "data"; readonly number: number } | undefined {
  const [, digits, isData] = /^(\d{12})(?:\.json|(-[0-9a-f]{16}\.ndjson\.gz))$/.exec(name) ?? [];
  return digits === undefined
    ? undefined
    : { kind: isData === undefined ? "manifest" : "data", number: Number(digits) };
}

function padded(number: number): string {
  return String(number).padStart(DIGITS, "0");
}
