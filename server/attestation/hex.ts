/** Bytes as lower-case hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** The same, as chains write it. */
export function prefixed(bytes: Uint8Array): string {
  return `0x${hex(bytes)}`;
}
