const HEAD = 10;
const TAIL = 8;

/** A hash or an address as people compare them: its beginning and its end. */
export function shortened(hex: string): string {
  return hex.length <= HEAD + TAIL + 1 ? hex : `${hex.slice(0, HEAD)}…${hex.slice(-TAIL)}`;
}
