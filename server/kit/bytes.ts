/** Whether both are there and hold the same bytes. Not for secrets: the time it takes depends on the bytes. */
export function equalBytes(a: Uint8Array | null | undefined, b: Uint8Array | null | undefined): boolean {
  return a != null && b != null && Buffer.compare(a, b) === 0;
}
