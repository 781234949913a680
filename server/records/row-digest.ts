import { createHash } from "node:crypto";

/**
 * Computes the digest by which a signed row is found again wherever it is written: of the row data as stored and of the
 * signature. The contract accepts both cases of its digits, so they count as one signature.
 */
export function rowDigest(rowdata: Uint8Array, signature: string): Uint8Array {
  const data = createHash("sha256").update(rowdata).digest();
  return createHash("sha256").update(data).update(signature.toLowerCase()).digest();
}
