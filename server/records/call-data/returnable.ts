import { malformed } from "../../errors.ts";

/**
 * Maximum of decoded data as JSON: characters of a row can take six each. The largest record that can be stored needs
 * less than 450 KiB.
 */
const MAX_DECODED_BYTES = 512 * 1024;

/**
 * Asserts that decoded call data can be returned.
 * @throws SealbookError `malformed` at `inputdata`
 */
export function assertReturnable(decoded: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(decoded));
  if (bytes <= MAX_DECODED_BYTES) return;
  throw malformed("inputdata", `decodes to ${bytes} bytes, and the server returns at most ${MAX_DECODED_BYTES}`);
}
