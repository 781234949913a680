import { malformed } from "../errors.ts";

/**
 * Parses `0x`-prefixed hexadecimal text, of any case.
 *
 * @param path Names the text in errors
 * @throws SealbookError `malformed`
 */
export function parseHex(path: string, text: string): Uint8Array {
  if (!text.startsWith("0x")) throw malformed(path, "does not start with 0x");
  const digits = text.slice(2);
  // Buffer stops at a wrong digit without an error and takes some letters for digits.
  const wrong = digits.search(/[^0-9a-fA-F]/);
  if (wrong !== -1) throw malformed(path, `the character at position ${wrong + 2} is not a hexadecimal digit`);
  if (digits.length % 2 !== 0) throw malformed(path, "odd number of hexadecimal digits");
  return Buffer.from(digits, "hex");
}

/**
 * Parses trusted hexadecimal text without checks, which would take most of the time.
 * @param hex `0x` and an even number of digits
 */
export function bytesOfHex(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), "hex");
}

/** Returns bytes as lower-case hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** Returns bytes as `0x` and lower-case hexadecimal digits. */
export function prefixedHex(bytes: Uint8Array): string {
  return `0x${hex(bytes)}`;
}

/** Whether both are there and hold the same bytes. Not for secrets: the time it takes depends on the bytes. */
export function equalBytes(a: Uint8Array | null | undefined, b: Uint8Array | null | undefined): boolean {
  return a != null && b != null && Buffer.compare(a, b) === 0;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8; a byte order mark is a character.
 * @param path Names the bytes in errors
 * @throws SealbookError `malformed`
 */
export function utf8Text(path: string, bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw malformed(path, "is not UTF-8 text", cause);
  }
}
