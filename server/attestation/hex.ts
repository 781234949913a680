/** Formats bytes as lower-case hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** Formats bytes as `0x` and lower-case hexadecimal digits. */
export function prefixed(bytes: Uint8Array): string {
  return `0x${hex(bytes)}`;
}
