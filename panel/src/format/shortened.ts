const HEAD = 10;
const TAIL = 8;

/** Shortens a hash or an address to its beginning and its end. */
export function shortened(hex: string): string {
  return hex.length <= HEAD + TAIL + 1 ? hex : `${hex.slice(0, HEAD)}…${hex.slice(-TAIL)}`;
}
